"""What a person does, as functions: the command line, a service and a notebook call only these and public classes."""
