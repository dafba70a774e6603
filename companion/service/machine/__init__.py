"""The machine below the service: its service manager, failed starts, power, heat and disk."""
