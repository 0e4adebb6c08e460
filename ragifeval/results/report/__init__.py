"""The HTML report: logs -> what is shown, as plain data -> one page that needs nothing else."""
