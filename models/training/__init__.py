"""Train the networks: architectures, samples, losses, schedules, export."""
