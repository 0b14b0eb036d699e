# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/pages.py FOLDER: the manual pages, from the command line's own definitions, docs/cli.md and
docs/variables.md; and the completions that typer makes for the shells."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools")]

import roff  # noqa: E402

from xomp import __version__  # noqa: E402
from xomp.cli.commands import root  # noqa: E402
from xomp.start import main  # noqa: E402

SHELLS = {"bash": "xomp", "zsh": "_xomp", "fish": "xomp.fish"}
FILES = """
.TP
.I PREFIX/lib/xomp
The library, \\fBlibxomp.so\\fR, and \\fBlibgomp.so.1\\fR, which is the same file.
.TP
.I PREFIX/include/xomp.h
What xomp offers beyond OpenMP.
.TP
.I docs/
Documents that these pages name lie in the sources' folder of this name;
\\fBmake docs\\fR makes a site of them.
""".strip()


def commands(command, context) -> Iterator[tuple]:
    """Every command with its context, groups before what they hold."""
    yield command, context
    for name, pending in getattr(command, "commands", {}).items():
        inner = pending.make_context(name, [], parent=context, resilient_parsing=True)
        yield from commands(inner.command, inner)


def described(path: str) -> tuple[list[str], str]:
    """The section of docs/cli.md about a command: how it is called, and the rest without the tables
    of options."""
    text = (ROOT / "docs/cli.md").read_text()
    if path == "xomp":
        return [], roff.convert(text.partition("\n")[2].partition("\n## ")[0])
    for title, body in re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", text, re.M):
        if path not in title.split(", "):
            continue
        block = re.search(r"(?:^    .*\n)+", body, re.M)
        usage = [] if block is None else [each.strip() for each in block[0].splitlines()]
        if block is not None:
            body = body.replace(block[0], "", 1)
        usage = re.split(r"\n(?=xomp )", "\n".join(usage))
        usage = [each for each in usage if each.startswith(path + " ")]
        return usage, roff.convert(body.strip(), leave_out=("option",))
    return [], ""


def listed(parameters, context) -> str:
    rows = (parameter.get_help_record(context) for parameter in parameters)
    return "\n".join(
        # A line may end between the values of an option.
        roff.entry(
            roff.bold(re.sub(r" <.*\[.*\]>$", "", names)).replace("|", r"|\:"), roff.escape(text)
        )
        for names, text in filter(None, rows)
    )


def page(command, context, names: list[str]) -> str:
    path = context.command_path
    name = path.replace(" ", "-")
    usage, about = described(path)
    if not usage or hasattr(command, "commands"):
        usage = [" ".join(command.collect_usage_pieces(context))]
    summary, _, more = (command.help or "").partition("\n\n")
    parts = [
        f'.TH {name.upper()} 1 "" "xomp {__version__}" "User Commands"',
        roff.section("Name"),
        f"{roff.escape(name)} \\- {roff.escape(first_lower(summary.strip().rstrip('.')))}",
        roff.section("Synopsis"),
        "\n.br\n".join(
            f"{roff.bold(path)} {roff.escape(each.removeprefix(path).strip())}" for each in usage
        ),
    ]
    if more and not about:
        about = roff.paragraph(" ".join(more.split()))
    parts += [roff.section("Description"), about or roff.paragraph(summary.strip())]
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option"]
    for title, parameters in (("Arguments", arguments), ("Options", options)):
        text = listed(parameters, context)
        if text:
            parts += [roff.section(title), text]
    inner = getattr(command, "commands", {})
    if inner:
        parts.append(roff.section("Commands"))
        parts += [
            roff.entry(roff.bold(f"{path} {name}"), roff.escape(each.help.partition("\n\n")[0]))
            for name, each in inner.items()
        ]
    if path == "xomp":
        parts += [roff.section("Files"), FILES]
    around = [each for each in names if each != name and (path == "xomp" or related(each, name))]
    parts.append(roff.section("See also"))
    seen = [*(f"{roff.bold(each)}(1)" for each in around), f"{roff.bold('xomp-variables')}(7)"]
    parts.append(",\n".join(seen))
    return "\n".join(parts) + "\n"


def related(other: str, name: str) -> bool:
    return other == name.rpartition("-")[0] or other.rpartition("-")[0] == name or other == "xomp"


def first_lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def variables() -> str:
    text = (ROOT / "docs/variables.md").read_text().partition("\n")[2]
    head = [
        f'.TH XOMP\\-VARIABLES 7 "" "xomp {__version__}" "Environment"',
        roff.section("Name"),
        r"xomp\-variables \- environment variables of the OpenMP runtime xomp",
        roff.section("Description"),
    ]
    tail = [roff.section("See also"), f"{roff.bold('xomp')}(1)"]
    return "\n".join([*head, roff.convert(text), *tail]) + "\n"


def write_page(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = re.sub(r"^(\.S[HS] .*\n)\.PP\n", r"\1", text, flags=re.M)  # a heading begins one
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def completion(shell: str) -> str:
    os.environ["_XOMP_COMPLETE"] = f"source_{shell}"
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        main([])
    return said.getvalue()


def make(folder: Path) -> None:
    top = root()
    context = top.make_context("xomp", [], resilient_parsing=True)
    found = list(commands(top, context))
    names = [each.command_path.replace(" ", "-") for _, each in found]
    for command, each in found:
        name = each.command_path.replace(" ", "-")
        write_page(folder / f"man/man1/{name}.1", page(command, each, names))
    write_page(folder / "man/man7/xomp-variables.7", variables())
    for shell, name in SHELLS.items():
        path = folder / "completion" / shell / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(completion(shell))


if __name__ == "__main__":
    make(Path(sys.argv[1]))
