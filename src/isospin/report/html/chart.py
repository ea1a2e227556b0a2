"""A counterexample as a message sequence chart: a lifeline for each process, a row for each step, arrows for messages.

Reference: ITU-T Z.120, message sequence charts.
Differs: every statement has a row of its own, as time in a model is the number of steps; a message in a channel is an
arrow from the row where it is sent to the row where it is received.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

from ...core.records import dataclass
from ...core.trace import Message, Snapshot, Standing, Trace, TraceStep
from ..terminal import broken, change_text, process_lanes
from .svg import joined, label, number, tag, text

ROW, TOP, LETTER, FAT, LINE = 30.0, 14.0, 7.0, 7.4, 14.0
CYCLE_GAP = 22.0
MARGIN, ROOM = 74.0, 66  # left of the lanes; letters that all lanes share
NARROW, WIDE = 14, 34  # letters of a lane at least and at most
COLOURS = 8
CHANGES = 60  # letters of what a step changes, in a line
PLACES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)  # where on an arrow its words may stand


@dataclass(frozen=True)
class Lanes:
    """Where the processes are, and the rows."""

    names: dict[int, str]
    width: float
    cycle: int | None = None  # the row before which there is room, since a cycle starts there
    more: tuple[int, ...] = ()  # by row: how many lines it has beside the first one

    def x(self, pid: int) -> float:
        return MARGIN + self.width * (list(self.names).index(pid) + 0.5)

    def colour(self, pid: int) -> int:
        return list(self.names).index(pid) % COLOURS

    def top(self, row: int) -> float:
        gap = CYCLE_GAP if self.cycle is not None and row >= self.cycle else 0.0
        return TOP + ROW * row + LINE * self._before[row] + gap

    def y(self, row: int) -> float:
        """The middle of the first line of a row."""
        return self.top(row) + ROW / 2

    def below(self, row: int) -> float:
        """The middle of the last one."""
        return self.y(row) + LINE * self.more[row]

    def height(self, row: int) -> float:
        return ROW + LINE * self.more[row]

    @cached_property
    def _before(self) -> list[int]:
        """How many such lines there are above each row, and above what comes behind the last one."""
        return [0, *accumulate(self.more)]

    @property
    def right(self) -> float:
        return MARGIN + self.width * len(self.names)

    @property
    def letters(self) -> int:
        return int((self.width - 18) / LETTER)


def _lanes_of(trace: Trace, snapshots: Sequence[Snapshot] | None, first: int) -> Lanes:
    names, steps = process_lanes(trace), trace.steps[first:]
    for standing in snapshots[-1].processes if snapshots else ():
        names.setdefault(standing.pid, standing.process)
    names = dict(sorted(names.items())) or {0: ""}
    texts = [s.statement for s in steps] + [s.partner_statement for s in steps]
    texts += [f"{name} {pid}" for pid, name in names.items()]
    longest = max(min(max(map(len, texts), default=0), WIDE, ROOM // len(names)), NARROW)
    start = trace.cycle_start
    cycle = max(start - first, 0) if start is not None and start < len(trace.steps) else None
    lanes = Lanes(names, longest * LETTER + 26, cycle)
    return replace(lanes, more=tuple(_lines_of(step, lanes) - 1 for step in steps))


def _lines_of(step: TraceStep, lanes: Lanes) -> int:
    """How many lines its row needs: nothing is cut."""
    words = ((step.statement, lanes.letters), (step.partner_statement, lanes.letters), (change_text(step), CHANGES))
    return max(len(broken(text, letters)) for text, letters in words)


def chart(trace: Trace, snapshots: Sequence[Snapshot] | None, first: int, failed: str) -> tuple[str, str, Lanes]:
    """Head and body of the chart; `first` steps are left out, `failed` is what is wrong in the end."""
    steps = trace.steps[first:]
    lanes = _lanes_of(trace, snapshots, first)
    changes = max((len(change_text(s)) for s in steps), default=0)
    width = lanes.right + max(min(changes, CHANGES) * LETTER + 30, 200)
    rows = lanes.top(len(steps))
    waiting, room = _stuck(snapshots[-1].processes, lanes) if snapshots and failed.startswith("deadlock") else ([], 0.0)
    verdict, high = _verdict_row(trace, failed, rows + room, width)
    last = rows + room + high + 10
    parts = [_lifeline(pid, lanes, rows + room) for pid in lanes.names]
    parts += _loop(lanes, width, rows)
    arrows = list(_messages(steps, snapshots, lanes))
    parts += [_band(first + i + 1, i, lanes, width) for i in range(len(steps))]
    parts += [line for line, _ in arrows]  # behind the boxes, and their words before them
    parts += [_row(i, s, first, lanes, _carried(snapshots, i)) for i, s in enumerate(steps)]
    parts += [words for _, words in arrows]
    waiting[:0] = [label("waits for", 68, 19, class_="dim end")] if waiting else []
    parts += [tag("g", joined(waiting), class_="waiting", transform=f"translate(0 {number(rows)})")] if waiting else []
    parts.append(verdict)
    body = tag("svg", joined(parts), class_="chart", width=number(width), height=number(last),
               viewBox=f"0 0 {number(width)} {number(last)}", role="img", aria_label="sequence chart")  # fmt: skip
    return _heads(lanes, width), body, lanes


def _heads(lanes: Lanes, width: float) -> str:
    parts = [label("step", 8, 20, class_="dim"), label("line", 42, 20, class_="dim")]
    for pid, name in lanes.names.items():
        x, half = lanes.x(pid), lanes.width / 2 - 6
        frame = tag("rect", x=number(x - half), y="3", width=number(2 * half), height="25", rx="5")
        parts.append(
            tag(
                "g",
                frame,
                label(f"{name} {pid}", x, 20, lanes.letters),
                class_=f"head lane{lanes.colour(pid)}",
                data_pid=pid,
            )
        )
    parts.append(label("what it changes", lanes.right + 12, 20, class_="dim changes"))
    return tag("svg", joined(parts), class_="chart heads", width=number(width), height="32",
               viewBox=f"0 0 {number(width)} 32")  # fmt: skip


def _lifeline(pid: int, lanes: Lanes, end: float) -> str:
    x = number(lanes.x(pid))
    return tag("line", x1=x, x2=x, y1="0", y2=number(end), class_=f"life lane{lanes.colour(pid)}", data_pid=pid)


def _carried(snapshots: Sequence[Snapshot] | None, index: int) -> str:
    """What a rendezvous hands over."""
    return ", ".join(m.text for m in snapshots[index + 1].messages) if snapshots else ""


def _band(step: int, row: int, lanes: Lanes, width: float) -> str:
    y, height = number(lanes.top(row)), number(lanes.height(row))
    return tag("rect", x="0", y=y, width=number(width), height=height, class_="band", data_step=step)


def _row(index: int, step: TraceStep, first: int, lanes: Lanes, message: str) -> str:
    y = lanes.y(index)
    line = str(step.location.line or "")
    parts = [
        label(str(first + index + 1), 30, y + 4, class_="dim end"),
        label(line, 64, y + 4, class_="dim end"),
        *_written(change_text(step), lanes.right + 12, y, CHANGES, "change"),
    ]
    if step.atomic:
        x, end = number(lanes.x(step.pid) - lanes.width / 2 + 7), number(y + lanes.height(index))
        kind = f"atomic lane{lanes.colour(step.pid)}"
        parts.append(tag("line", x1=x, x2=x, y1=number(y), y2=end, class_=kind, data_pid=step.pid))
    if step.partner is not None:
        parts.append(_across(step, y, lanes, message))
    parts.append(_statement(step.pid, step.statement, y, lanes))
    if step.partner is not None:
        parts.append(_statement(step.partner, step.partner_statement, y, lanes))
    return tag("g", joined(parts), class_="row", data_step=first + index + 1)


def _half_of(words: str, lanes: Lanes) -> float:
    """Half the width of the box of a statement."""
    longest = max(map(len, broken(words, lanes.letters)))
    return max(longest, 3) * LETTER / 2 + 7


def _statement(pid: int, words: str, y: float, lanes: Lanes) -> str:
    x, half = lanes.x(pid), _half_of(words, lanes)
    height = number(22 + LINE * (len(broken(words, lanes.letters)) - 1))
    frame = tag("rect", x=number(x - half), y=number(y - 11), width=number(2 * half), height=height, rx="4")
    return tag("g", frame, *_written(words, x, y, lanes.letters), class_=f"act lane{lanes.colour(pid)}", data_pid=pid)


def _written(words: str, x: float, y: float, letters: int, class_: str = "") -> Iterator[str]:
    """Words in as many lines as they need."""
    for i, line in enumerate(broken(words, letters)):
        yield label(line, x, y + 4 + LINE * i, class_=class_)


def _across(step: TraceStep, y: float, lanes: Lanes, message: str) -> str:
    """A rendezvous: both at the same time."""
    assert step.partner is not None
    a, b = lanes.x(step.pid), lanes.x(step.partner)
    near, far = (_half_of(words, lanes) + 2 for words in (step.statement, step.partner_statement))
    start, end = (a + near, b - far) if a < b else (a - near, b + far)
    line = tag("path", d=f"M{number(start)} {number(y)}H{number(end)}", marker_end="url(#tip)")
    return tag("g", line, label(message, (start + end) / 2, y - 3, 12, "carried"), class_="message",
               data_from=step.pid, data_to=step.partner, data_ends=f"{number(a)} {number(b)}")  # fmt: skip


# -------------------------------------------------------------------------------------------------- channels


def _messages(
    steps: Sequence[TraceStep], snapshots: Sequence[Snapshot] | None, lanes: Lanes
) -> Iterator[tuple[str, str]]:
    """Arrows from where messages are sent to where they are received, and their words; those that nobody takes end in a
    dot.  What was sent before the first row has no arrow."""
    queues: dict[str, list[tuple[int, int, str]]] = {}
    for m in snapshots[0].messages if snapshots else ():
        queues.setdefault(m.channel, []).insert(m.position, (-1, 0, m.text))
    for i, step in enumerate(steps if snapshots else ()):
        assert snapshots is not None
        for message in snapshots[i + 1].messages if step.partner is None else ():
            queue = queues.setdefault(message.channel, [])
            if message.sent:
                queue.insert(message.position, (i, step.pid, message.text))
            elif message.position < len(queue):
                sent, sender, _ = queue.pop(message.position)
                if sent >= 0:
                    yield _sloping((sent, sender), (i, step.pid), message, lanes, steps)
    for channel, queue in queues.items():
        for sent, sender, words in queue:
            if sent >= 0:
                yield "", _left_over(sent, sender, f"{words} stays in {channel}", lanes)


def _sloping(
    sent: tuple[int, int], taken: tuple[int, int], message: Message, lanes: Lanes, steps: Sequence[TraceStep]
) -> tuple[str, str]:
    """From row and process to row and process."""
    a, b = lanes.x(sent[1]), lanes.x(taken[1])
    side = 1 if b >= a else -1
    start = a + side * 20, lanes.below(sent[0]) + 11
    end = b - side * 20 if a != b else b + 20, lanes.y(taken[0]) - 12
    bend = 26.0 if a == b else 0.0
    path = (f"M{number(start[0])} {number(start[1])}C{number(start[0] + bend)} {number(start[1] + 14)} "
            f"{number(end[0] + bend)} {number(end[1] - 14)} {number(end[0])} {number(end[1])}")  # fmt: skip
    tip = tag("title", text(f"{message.channel}: {message.text}"))
    ends = {"data_from": sent[1], "data_to": taken[1], "data_ends": f"{number(a)} {number(b)}"}
    line = tag("g", tip, tag("path", d=path, marker_end="url(#tip)"), class_="message", **ends)
    along = [(start[0] + (end[0] - start[0]) * t + bend, start[1] + (end[1] - start[1]) * t) for t in PLACES]
    x, y = next((p for p in along if _is_free(p, len(message.text), sent[0], taken[0], lanes, steps)), along[0])
    return line, tag("g", label(message.text, x, y + 4, 14, "carried"), class_="message words", **ends)


def _is_free(
    point: tuple[float, float], letters: int, first: int, last: int, lanes: Lanes, steps: Sequence[TraceStep]
) -> bool:
    """Is there no box where the words of an arrow would be?"""
    x, y = point
    half = min(letters, 14) * LETTER / 2 + 2
    for i in range(first, last + 1):
        beside = abs(lanes.x(steps[i].pid) - x) >= half + _half_of(steps[i].statement, lanes)
        if lanes.y(i) - 17 < y < lanes.below(i) + 17 and not beside:
            return False
    return True


def _left_over(sent: int, sender: int, words: str, lanes: Lanes) -> str:
    x, y = lanes.x(sender) + 20, lanes.below(sent) + 11
    dot = tag("circle", cx=number(x + 12), cy=number(y + 6), r="3")
    return tag(
        "g",
        tag("path", d=f"M{number(x)} {number(y)}l10 5"),
        dot,
        label(words, x + 20, y + 10, 22, "carried"),
        class_="message kept",
        data_pid=sender,
    )


# -------------------------------------------------------------------------------------------------- the end


def _stuck(standing: Sequence[Standing], lanes: Lanes) -> tuple[list[str], float]:
    """Where each process is at the end, and how much room that takes."""
    drawn, most = [], 0
    for one in standing:
        if one.pid in lanes.names and one.next and not one.done:
            location, words = one.next[0]
            more = f" or {len(one.next) - 1} more" if len(one.next) > 1 else ""
            said = f"{location.line}: {words}{more}"
            x, half, lines = lanes.x(one.pid), lanes.width / 2 - 6, len(broken(said, lanes.letters))
            height = number(22 + LINE * (lines - 1))
            frame = tag("rect", x=number(x - half), y="4", width=number(2 * half), height=height, rx="4")
            drawn.append(tag("g", frame, *_written(said, x, 15, lanes.letters), class_="next", data_pid=one.pid))
            most = max(most, lines)
    return drawn, ROW + LINE * (most - 1) if drawn else 0.0


def _loop(lanes: Lanes, width: float, end: float) -> list[str]:
    """The part that is repeated for ever."""
    if lanes.cycle is None:
        return []
    y, x = lanes.top(lanes.cycle), number(width - 12)
    frame = tag("rect", x="2", y=number(y), width=number(width - 4), height=number(end - y), rx="6", class_="cycle")
    path = f"M{number(width - 26)} {number(end - 8)}H{x}V{number(y + 14)}h-9"
    back = tag("path", d=path, class_="back", marker_end="url(#tip)")
    return [
        frame,
        back,
        label("the cycle begins here: these steps are repeated for ever", 10, y - 6, class_="cyclename"),
    ]


def _verdict_row(trace: Trace, failed: str, y: float, width: float) -> tuple[str, float]:
    """What is wrong in the end, in as many lines as it needs, and their height."""
    stays = trace.cycle_start == len(trace.steps)
    again = f"repeated for ever{', each time with other objects' if trace.renamed else ''}"
    how = "the run stays in its last state for ever" if stays else f"the steps of the cycle are {again}"
    words = failed if trace.cycle_start is None else f"{failed}: {how}"
    letters = int((width - 30) / FAT)
    high = ROW + LINE * (len(broken(words, letters)) - 1)
    frame = tag("rect", x="2", y=number(y + 5), width=number(width - 4), height=number(high - 2), rx="5")
    lines = joined(_written(words, 12, y + 20, letters))
    return tag("g", frame, lines, class_="failed", data_step=len(trace.steps)), high
