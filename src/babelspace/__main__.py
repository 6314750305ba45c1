"""`python -m babelspace`: the command line."""

import os

try:
    from babelspace.cli.main import main
except KeyboardInterrupt:
    # Nothing is begun yet, and nobody else would tell it without a traceback.
    os.write(2, b"Interrupted.\n")
    os._exit(130)

if __name__ == "__main__":
    main()
