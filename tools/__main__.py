import sys

from tools import run

sys.exit(run())
