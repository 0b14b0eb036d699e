# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines of text in a log: keys with values, numbers, and the words of a command."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

# The words of a command are written as C strings.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}

# In place of a file's name: compilers of Intel's that were not asked for it, and flang.
_NO_FILES = ("unknown", "FIRModule")

# No number of a line is larger: nanoseconds since 1970, ticks in some years.
MOST = 1 << 62


def texts_of(chunks: Iterable[np.ndarray]) -> list[tuple[str, str]]:
    """Key and value of each line. A line may go on in the next chunk."""
    parts = [records.tobytes().split(b"\0", 1)[0] for records in chunks]
    lines = b"".join(parts).decode(errors="replace").split("\n")
    pairs = (line.partition(" ") for line in lines if line)
    return [(key, value) for key, _, value in pairs]


def number_in(text: str) -> int:
    """What the recorder can have meant."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MOST))):
        raise ValueError(text)
    number = int(text)
    if number > MOST:
        raise ValueError(text)
    return number


def source_in(said: str) -> tuple[str, str, int]:
    """Function, file and line of ;file;function;line;column;; - as far as it says them."""
    _, file, function, line, *_ = [*said.split(";"), "", "", "", ""]
    if not (line.isascii() and line.isdecimal() and len(line) < len(str(MOST)) and int(line)):
        return "", "", 0
    return function, "" if file in _NO_FILES else file, int(line)


def words_of(command: str) -> list[str]:
    """The words of a command as the recorder wrote it down; none where it is not written so."""
    return [_unescaped(word) for word in _QUOTED.findall(command)]


def _unescaped(word: str) -> str:
    def letter(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] == "x" and len(code) == 3:
            return chr(int(code[1:], 16))
        return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPED.get(code, code)

    return _ESCAPE.sub(letter, word)
