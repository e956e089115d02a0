"""Pictures of what the rest of the library computes; nothing outside this folder imports it."""
