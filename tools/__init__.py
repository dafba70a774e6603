"""Development tools: they build and check the project, and are not shipped."""
