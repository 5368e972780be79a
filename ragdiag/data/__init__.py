"""Files to samples: one streamed, validated pass over each format."""
