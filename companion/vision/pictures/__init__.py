"""Pictures: encoded bytes in, bounded pixels out, and frames as values. Knows no source."""
