"""What the bytes of a damaged database still prove. Reads bytes, never writes them."""
