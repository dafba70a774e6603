"""HTTP: the server, admission and rate limits of requests, their bodies, and the event stream."""
