"""A verdict as one HTML page that needs nothing else: no server, no network."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...core.errors import NOWHERE
from ...core.trace import RunView
from ...core.verdict import Verdict
from ..words import factor_words
from . import words
from .source import listing
from .story import stories
from .svg import joined, tag, text

ASSETS = Path(__file__).parent / "assets"
MARKERS = (
    '<svg class="markers" width="0" height="0" aria-hidden="true"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" '
    'refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    '<path d="M0 0L8 4L0 8z"/></marker></defs></svg>'
)


def page(verdict: Verdict, version: str, views: Sequence[RunView] = ()) -> str:
    """The whole page; `views` are what is seen of the violations of a model; programs have none."""
    told, data = stories(verdict, views)
    source, about = sources(verdict, data["files"], _coverage(verdict)), _facts(verdict)
    main = tag("main", *((told, source, about) if verdict.violations else (about, source)))
    body = _header(verdict) + main + tag("footer", text(f"isospin {version}"))
    return document(f"{verdict.file}: {words.TITLES[verdict.outcome]}", body, data)


def document(title: str, body: str, data: Any) -> str:
    style, script = asset("base.css") + asset("report.css"), asset("watch.js") + asset("report.js")
    # No request can leave the page, and no script but ours can run in it, whatever a model contains.
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    head = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        tag("title", text(title)),
        f"<style>{style}</style>",
    ]
    packed = f'<script type="application/json" id="data">{_embedded(data)}</script>'
    inner = f"{MARKERS}{body}{packed}<script>{script}</script>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{joined(head)}</head><body>{inner}</body></html>\n'


def asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _digest(content: str) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()


def _embedded(data: Any) -> str:
    """JSON that can stand in a script element: nothing in it can end the element."""
    return json.dumps(data, separators=(",", ":"), default=str).replace("<", "\\u003c").replace("\u2028", "\\u2028")


# -------------------------------------------------------------------------------------------------- the verdict


def _header(verdict: Verdict) -> str:
    badge = tag("span", text(words.TITLES[verdict.outcome]), class_=f"badge {verdict.outcome.value}")
    top = tag("div", tag("span", text(verdict.file), class_="file"), theme_switch(), class_="top")
    lines = [tag("p", text(line)) for line in words.scope(verdict)]
    title = tag("h1", badge, " ", text(words.headline(verdict)))
    return tag("header", top, title, tag("div", joined(lines), class_="scope"), class_=verdict.outcome.value)


def theme_switch() -> str:
    return tag("button", text("light / dark"), id="theme", type="button", title="change between light and dark")


def _facts(verdict: Verdict) -> str:
    parts = (_properties(verdict), _symmetry(verdict), _statistics(verdict), _warnings(verdict))
    return tag("div", *parts, class_="facts")


def _properties(verdict: Verdict) -> str:
    rows = []
    for p in verdict.properties:
        said = tag("span", text(p.outcome.value), class_=f"badge small {p.outcome.value}")
        more = f" {p.formula}" if p.formula not in ("", p.name) else ""
        reason = f" ({p.reason})" if p.reason else ""
        rows.append(tag("li", said, " ", tag("b", text(p.name)), text(more + reason)))
    return _section("What was checked", tag("ul", joined(rows), class_="plain")) if rows else ""


def _symmetry(verdict: Verdict) -> str:
    s = verdict.symmetry
    parts = [tag("p", text(words.symmetry_words(s)))]
    if (factor := verdict.reduction_factor) is not None:
        least = "at least " if verdict.por else ""
        runs = verdict.statistics.executions
        seen = f"{verdict.states:,} stored states stand" if runs is None else f"{runs:,} executions stand"
        sums = f"{'One execution stands' if runs == 1 else seen} for {least}{int(verdict.orbit_sum or 0):,}"
        parts.append(tag("p", tag("b", text(f"{sums}: {factor_words(factor)} times fewer."))))
    if s.justification:
        parts.append(tag("p", tag("b", "Why: "), text(s.justification)))
    if s.refused:
        broken = [tag("li", _place(str(r.location) if r.location != NOWHERE else ""), text(r.why)) for r in s.refused]
        parts += [tag("p", tag("b", text(words.what_refusals_are(s)))), tag("ul", joined(broken))]
    return _section(f"Symmetry ({words.symmetry_used(s)})", joined(parts))


def _statistics(verdict: Verdict) -> str:
    rows = [tag("tr", tag("th", text(name)), tag("td", text(value))) for name, value in words.figures(verdict)]
    return _section("Statistics", tag("table", joined(rows), class_="figures"))


def _warnings(verdict: Verdict) -> str:
    if not verdict.warnings:
        return ""
    rows = []
    for w in verdict.warnings:
        where = _place(str(w.location) if w.location != NOWHERE else "")
        rows.append(tag("li", where, text(w.message), text(f" ({w.hint})" if w.hint else "")))
    return _section("Warnings", tag("ul", joined(rows)))


def _place(location: str) -> str:
    return tag("code", text(location)) + " " if location else ""


def _note(sentence: str) -> str:
    return tag("p", text(sentence), class_="note")


def _section(title: str, content: str) -> str:
    return tag("section", tag("h2", text(title)), content)


# -------------------------------------------------------------------------------------------------- sources


def sources(verdict: Verdict, files: list[str], remark: str) -> str:
    parts = [_note(remark)] if remark else []
    for number, file in enumerate(files):
        head = tag("h3", text(file)) if len(files) > 1 else ""
        parts.append(head + tag("div", listing(number, file, verdict.unreached), class_="scroll"))
    return tag(
        "section",
        tag("h2", "Source"),
        joined(parts),
        class_="sources" if verdict.violations else "sources alone",
        id="sources",
    )


def _coverage(verdict: Verdict) -> str:
    if verdict.covered:
        count = len(verdict.unreached)
        some = f"{count} statement{'s are' if count != 1 else ' is'} never executed, in any run, and marked."
        return some if count else "Every statement is executed in some run."
    if verdict.violations or verdict.engine == "stateless":  # nobody expects it
        return ""
    return "Which statements are never executed is not known: the search ended before it had seen everything."
