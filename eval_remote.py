"""Score a model behind an OpenAI-compatible API on RAG-IFEval; `--help` lists the options."""

import sys

from ragifeval.cli.evaluate import main

if __name__ == "__main__":
    sys.exit(main("remote"))
