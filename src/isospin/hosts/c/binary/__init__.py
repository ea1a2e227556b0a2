"""What can be read off an executable: its machine code and its debugging information.

`dwarf` reads names and types, `machine` instructions; `frame`, `liveness`, `reach` and `walks` follow values through
functions; `residual`, `silent` and `places` answer what a thread can still do, and what others cannot see.  `rules`
says what is done with the numbers that threads were given: `values`, `carriers`, `sums`, `calls`, `targets`,
`execution`.
"""

__all__ = ["dwarf", "execution", "places", "values"]
