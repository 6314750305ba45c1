"""Work that takes longer than a request: each job in a process of its own, kept in a file that outlives the service."""
