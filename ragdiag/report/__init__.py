"""From results to one report.json, and from that alone to terminal and page."""
