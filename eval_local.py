"""Score a local model on RAG-IFEval; `--help` lists the options."""

import sys

from ragifeval.cli.evaluate import main

if __name__ == "__main__":
    sys.exit(main("local"))
