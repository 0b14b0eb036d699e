# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joins the page's parts, which lie in the folder page, to one HTML file that needs no other."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib import resources

from xomp.profile.showing.categories import for_page
from xomp.profile.showing.html.content import Content
from xomp.profile.showing.html.pack import pack

_LICENSE = re.compile(r"^(?://|/\*) SPDX-.*\n", re.MULTILINE)  # the page has it once
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_EXPORTS = re.compile(r"^export const ((?:\w+ = [^,;]+, )+\w+ = [^,;]+);", re.MULTILINE)


def page(*contents: Content, comparison: dict | None = None) -> str:
    """Of several runs: side by side with a comparison, else processes to choose from."""
    runs = [_run(content, f"-{at}" if at else "") for at, content in enumerate(contents)]
    if comparison is not None:
        runs.append(_script("application/json", "comparison", "", _json(comparison)))
    parts = {
        "page.css": _file("page.css"),
        "main.js": script("main"),
        "categories": _script("application/json", "categories", "", _json(for_page())),
        "runs": "\n".join(runs),
    }
    return re.sub(r"\{\{([\w.]+)\}\}", lambda found: parts[found[1]], _file("page.html"))


def _run(content: Content, suffix: str) -> str:
    text, table = pack(content.columns)
    facts = _json({**content.facts, "columns": table})
    return "\n".join(
        (
            _script("application/json", "facts", suffix, facts),
            _script("text/plain", "columns", suffix, text),
        )
    )


def _script(media: str, name: str, suffix: str, text: str) -> str:
    return f'<script type="{media}" class="{name}" id="{name}{suffix}">{text}</script>'


def _json(value: dict) -> str:
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")  # within a script element no tag may begin


@lru_cache
def script(name: str) -> str:
    """A module and all that it imports, each in a function of its own, in the order of need."""
    done: dict[str, str] = {}
    _add(name, done)
    joined = "\n".join(done.values())
    return f'"use strict";\n{joined}'


def _add(name: str, done: dict[str, str]) -> None:
    source = _file(f"{name}.js")
    done[name] = ""  # a circle of imports would end here, and fail in the page's test
    for _, other in _IMPORT.findall(source):
        if other not in done:
            _add(other, done)
    del done[name]
    exports = _EXPORT.findall(source)
    for names in _EXPORTS.findall(source):
        exports += [each.split(" = ")[0] for each in names.split(", ")]
    body = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = {_variable(found[2])};\n", source)
    body = _EXPORT.sub("", body)
    result = ", ".join(dict.fromkeys(exports))
    done[name] = f"const {_variable(name)} = (() => {{\n{body}return {{ {result} }};\n}})();\n"


def _variable(module: str) -> str:
    return f"module_{module}"


def _file(name: str) -> str:
    text = resources.files("xomp.profile.showing.html").joinpath("page", name).read_text("utf-8")
    return _LICENSE.sub("", text)
