"""A picture of the heap, as text for Graphviz: objects are boxes, pointers are arrows."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.trace import HeapObject, HeapView, Trace

DELETED = " (deleted)"


def heap_dot(trace: Trace) -> str:
    """The heap at the end of a trace."""
    heap = trace.steps[-1].heap if trace.steps else None
    lines = ["digraph heap {", "  rankdir=LR;", '  node [shape=box, fontname="monospace"];']
    lines += [f"  {line}" for line in (() if heap is None else _elements(heap))]
    return "\n".join([*lines, "}", ""])


def _elements(heap: HeapView) -> Iterator[str]:
    names = {o.name for o in heap.objects}
    targets = [str(v) for o in heap.objects for _, v in o.fields] + [name for _, name in heap.pointers]
    for item in heap.objects:
        yield f"{quoted(item.name)} [label={quoted(_label(item, names))}];"
    for gone in sorted({t for t in targets if t.endswith(DELETED)}):
        yield f"{quoted(gone)} [style=dashed, color=red];"
    for item in heap.objects:
        for field, value in item.fields:
            if _is_object(value, names):
                yield f"{quoted(item.name)} -> {quoted(str(value))} [label={quoted(field)}];"
    for variable, name in heap.pointers:
        yield f"{quoted(variable)} [shape=plaintext];"
        yield f"{quoted(variable)} -> {quoted(name)};"


def _label(item: HeapObject, names: set[str]) -> str:
    plain = [f"{field} = {value}" for field, value in item.fields if not _is_object(value, names)]
    return "\n".join([f"{item.name} (line {item.allocated.line})", *plain])


def _is_object(value: object, names: set[str]) -> bool:
    return isinstance(value, str) and (value in names or value.endswith(DELETED))


def quoted(text: str) -> str:
    """A text as Graphviz reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
