"""The benchmark as a task of lm-evaluation-harness: rag_ifeval.yaml, and its functions."""
