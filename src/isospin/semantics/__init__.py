"""What a model means: the reference, which every engine is compared with."""
