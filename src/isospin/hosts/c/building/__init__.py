"""From C and C++ files to an executable under control."""
