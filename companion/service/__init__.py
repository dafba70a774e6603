"""The service: shows the table to every phone, and gives the phones' commands to the table."""
