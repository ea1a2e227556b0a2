"""The C preprocessor, as Promela is used with it."""
