"""What the gateway costs to serve, side by side with its peers. Run: make bench."""
