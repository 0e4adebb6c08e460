"""Score a model behind an OpenAI-compatible API on RAG-IFEval; `--help` lists the options."""

import sys

from ragifeval.__main__ import evaluate

if __name__ == "__main__":
    sys.exit(evaluate("remote"))
