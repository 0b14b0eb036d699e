# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The little of Tcl's syntax that a DejaGnu directive is written in: words, braces, quotes."""

from __future__ import annotations

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "b": "\b"}


class TclError(ValueError):
    """The text is not a list of Tcl words."""


def split_words(text: str) -> list[str]:
    """Split a command's text into words.

    A braced word is taken verbatim (without the outer braces); a quoted or bare word has its
    backslash sequences replaced. There are no variables and no command substitution here.
    """
    words: list[str] = []
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return words
        if text[at] == "{":
            word, at = _braced(text, at)
        elif text[at] == '"':
            word, at = _quoted(text, at)
        else:
            word, at = _bare(text, at)
        words.append(word)


def _braced(text: str, start: int) -> tuple[str, int]:
    depth = 0
    at = start
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return text[start + 1 : at], at + 1
        at += 1
    raise TclError(f"missing close-brace: {text[start:]!r}")


def _quoted(text: str, start: int) -> tuple[str, int]:
    out: list[str] = []
    at = start + 1
    while at < len(text):
        if text[at] == '"':
            return "".join(out), at + 1
        char, at = _character(text, at)
        out.append(char)
    raise TclError(f"missing close-quote: {text[start:]!r}")


def _bare(text: str, start: int) -> tuple[str, int]:
    out: list[str] = []
    at = start
    while at < len(text) and not text[at].isspace():
        char, at = _character(text, at)
        out.append(char)
    return "".join(out), at


def _character(text: str, at: int) -> tuple[str, int]:
    if text[at] != "\\" or at + 1 == len(text):
        return text[at], at + 1
    follower = text[at + 1]
    return _ESCAPES.get(follower, follower), at + 2
