# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the DejaGnu directives of one test source and says what they ask for on this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from xomp.conformance import tcl
from xomp.conformance.selectors import Holds, applies, leaves

# A directive stands on one line, between "{ " and " }", with no brace after it on that line.
_DIRECTIVE = re.compile(r"\{[ \t]+(dg-[-a-z]+)[ \t]+(.*)[ \t]+\}[^}]*$")


@dataclass
class Request:
    """What one test asks for, selectors already decided."""

    kind: str = "run"  # run, link, compile: libgomp's default is run
    selected: bool = True
    options: list[str] | None = None  # None: the suite's default options
    additional_options: list[str] = field(default_factory=list)
    additional_sources: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # effective targets required and absent
    skips: list[Skip] = field(default_factory=list)
    should_fail: bool = False
    expected_failure: bool = False
    output: str = ""  # one regular expression, all dg-output texts joined
    timeout: float | None = None
    timeout_factor: float = 1.0

    def skip_reason(self, flags: list[str]) -> str | None:
        """Why dg-skip-if leaves this test out when it is compiled with these flags."""
        for skip in self.skips:
            if skip.matches(flags):
                return skip.comment or "dg-skip-if"
        return None


@dataclass
class Skip:
    """One dg-skip-if whose target selector holds here."""

    comment: str
    include: list[str]
    exclude: list[str]

    def matches(self, flags: list[str]) -> bool:
        return any(_has(flags, words) for words in self.include) and not any(
            _has(flags, words) for words in self.exclude
        )


def _has(flags: list[str], words: str) -> bool:
    """Whether every one of the words (``*`` matches always) is among the flags."""
    return words == "*" or all(
        any(fnmatchcase(flag, word) for flag in flags) for word in words.split()
    )


def find(text: str) -> list[tuple[str, list[str]]]:
    """All directives of a source, in order, as (name, words)."""
    found = []
    for line in text.splitlines():
        match = _DIRECTIVE.search(line)
        if match:
            try:
                found.append((match.group(1), tcl.split_words(match.group(2))))
            except tcl.TclError:
                continue  # DejaGnu would stop; such a line is a comment that looks like one
    return found


def read(text: str, holds: Holds) -> Request:
    """Decide the directives of a source for a machine described by ``holds``."""
    request = Request()
    chosen: bool | None = None
    for name, words in find(text):
        if name == "dg-do":
            chosen = _do(request, words, holds, chosen)
        elif name in _HANDLERS:
            _HANDLERS[name](request, words, holds)
    request.selected = chosen is not False
    return request


def _do(request: Request, words: list[str], holds: Holds, chosen: bool | None) -> bool:
    """dg-do KIND [SELECTOR]: a later matching line wins; one that matches not never unselects."""
    if len(words) > 1 and not applies(words[1], holds):
        if chosen is None:
            request.kind = words[0]
            request.missing += [name for name in leaves(words[1]) if not holds(name)]
        return bool(chosen)
    request.kind = words[0]
    request.missing = []
    return True


def _wanted(words: list[str], position: int, holds: Holds) -> bool:
    return len(words) <= position or applies(words[position], holds)


def _options(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 1, holds):
        request.options = words[0].split()


def _additional_options(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 1, holds):
        request.additional_options += words[0].split()


def _additional_sources(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 1, holds):
        request.additional_sources += words[0].split()


def _require(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 1, holds) and not holds(words[0]):
        request.missing.append(words[0])


def _skip(request: Request, words: list[str], holds: Holds) -> None:
    if len(words) < 2 or applies(words[1], holds):
        include = tcl.split_words(words[2]) if len(words) > 2 else ["*"]
        exclude = tcl.split_words(words[3]) if len(words) > 3 else []
        request.skips.append(Skip(words[0], include, [word for word in exclude if word]))


def _environment(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 2, holds):
        request.environment[words[0]] = words[1]


def _should_fail(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 1, holds):
        request.should_fail = True


def _expect_failure(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 1, holds):
        request.expected_failure = True


def _output(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 1, holds):
        request.output += words[0]


def _timeout(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 1, holds):
        request.timeout = float(words[0])


def _timeout_factor(request: Request, words: list[str], holds: Holds) -> None:
    if _wanted(words, 1, holds):
        request.timeout_factor = float(words[0])


_HANDLERS = {
    "dg-options": _options,
    "dg-additional-options": _additional_options,
    "dg-additional-sources": _additional_sources,
    "dg-require-effective-target": _require,
    "dg-skip-if": _skip,
    "dg-set-target-env-var": _environment,
    "dg-shouldfail": _should_fail,
    "dg-xfail-run-if": _expect_failure,
    "dg-output": _output,
    "dg-timeout": _timeout,
    "dg-timeout-factor": _timeout_factor,
}
