"""The reader in a process of its own: the service's side, the other side, what passes between."""
