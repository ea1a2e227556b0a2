"""What every room knows: models, verdicts, traces, errors, the deadline.  It knows nothing of the others."""
