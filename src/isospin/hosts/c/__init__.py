"""C and C++ programs under control: compiled with our runtime, explored in their own process."""
