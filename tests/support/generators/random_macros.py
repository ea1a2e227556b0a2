"""Random texts for the preprocessor: macros that use each other, conditions, comments, continued lines."""

from __future__ import annotations

from random import Random

OBJECTS, FUNCTIONS = ("A", "B", "C"), ("f", "g", "h")
CONDITIONS = (
    "defined A", "defined(f) && !defined B", "A + 1 > 2", "B", "1 ? 0 : 1/0", "!C", "f(1) == 1", "-1 < 0u", "0 || 1",
    "(1 << 3) % 5 == 3", "'a' == 97", "0x1F >> 2 == 7", "~0 == -1", "-7 / 2 == -3 && -7 % 2 == -1", "010 == 8",
    "18446744073709551615u == -1", "2 - 3 * 4 == -10 || 1/0", "__LINE__ > 8", "!!3 == 1",
)  # fmt: skip
PIECES = (
    "a", "b", "1", "->", "'c'", '"s"', "-", "+", "<", ">", "=", "/* c */", " \\\n ", "x", "(a, b)", "// end\n", ".. ",
)  # fmt: skip


def body(r: Random, parameters: tuple[str, ...], most: int, in_line: bool = True) -> str:
    found = []
    for _ in range(r.randint(0, most)):
        k = r.random()
        if k < 0.3:
            found.append(r.choice(OBJECTS + FUNCTIONS))
        elif k < 0.5:
            given = [body(r, parameters, 2) if r.random() < 0.3 else r.choice((*OBJECTS, *FUNCTIONS, *parameters, "1"))
                     for _ in range(r.randint(1, 2))]  # fmt: skip
            found.append(f"{r.choice(FUNCTIONS)}({', '.join(given)})")
        elif k < 0.65 and parameters:
            found.append(r.choice(("", "", "#")) + r.choice(parameters))
        elif k < 0.75 and parameters:
            found.append(r.choice((*parameters, "a")) + r.choice((" ## ", "##")) + r.choice((*parameters, "b", "2")))
        else:
            piece = r.choice(PIECES)
            found.append(piece if in_line or piece[0] != "/" else "")
    return r.choice((" ", " ", "")).join(found)


def text(seed: int) -> str:
    r = Random(seed)
    lines: list[str] = []
    open_groups = 0
    for _ in range(r.randint(4, 14)):
        k = r.random()
        if k < 0.25:
            lines.append(f"#define {r.choice(OBJECTS)} {body(r, (), 4)}")
        elif k < 0.5:
            parameters = ("x", "y")[: r.randint(1, 2)]
            rest = r.random() < 0.15
            names = (*parameters, "__VA_ARGS__") if rest else parameters
            lines.append(f"#define {r.choice(FUNCTIONS)}({', '.join(parameters)}{', ...' * rest}) {body(r, names, 5)}")
        elif k < 0.54:
            lines.append(f"#undef {r.choice(OBJECTS + FUNCTIONS)}")
        elif k < 0.62:
            lines.append(r.choice((f"#if {r.choice(CONDITIONS)}", "#ifdef A", "#ifndef g")))
            open_groups += 1
        elif k < 0.7 and open_groups:
            lines.append(r.choice((f"#elif {r.choice(CONDITIONS)}", "#else", "#endif")))
            open_groups -= lines[-1] == "#endif"
        else:
            comment = " /* two\nlines */ " if r.random() < 0.2 else ""
            lines.append(body(r, (), 4) + comment + body(r, (), 3))
    return "\n".join([*lines, *["#endif"] * open_groups, ""])
