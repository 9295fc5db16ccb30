"""What a skill is: URIs, frontmatter, the entry model, the rules, media types. Pure; no I/O."""
