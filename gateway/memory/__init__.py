"""What providers remember, bounded in bytes, and how they ask a store once where many want to know."""
