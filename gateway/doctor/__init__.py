"""What is wrong with a gateway, its store or what lies there, and what to do: facts in, findings out."""
