"""This machine on the network: its addresses, the one phones get, the page for other names."""
