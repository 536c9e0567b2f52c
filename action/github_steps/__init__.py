"""A run in GitHub Actions: the steps of `action.yml`, which read the results of the run."""
