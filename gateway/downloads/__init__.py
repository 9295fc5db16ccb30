"""Downloads over plain HTTP: a skill as one archive, and the index by which installers find them."""
