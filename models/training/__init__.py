"""Training of the networks: architectures, samples, losses, schedules, export."""
