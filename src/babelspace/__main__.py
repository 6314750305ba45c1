"""`python -m babelspace`: the command line."""

from babelspace.cli.main import main

if __name__ == "__main__":
    main()
