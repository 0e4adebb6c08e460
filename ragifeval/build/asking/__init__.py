"""The stages that ask a model: questions and answers, critics, phrases."""
