"""`python -m mcsl` is the command `mcsl`."""

import sys

from mcsl.cli import main

sys.exit(main())
