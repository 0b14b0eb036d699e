# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The help for a narrow terminal, without columns: typer's would cut the names of options there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import typer

from xomp.shared.text import wrapped


def text(command: Any, context: typer.Context, columns: int) -> str:
    """Usage, what the command does, and below each name what it means."""
    usage = " ".join(["Usage:", context.command_path, *command.collect_usage_pieces(context)])
    parts = [wrapped(usage, columns)]
    parts += [wrapped(each, columns) for each in (command.help or "").split("\n\n")]
    of_kind: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            of_kind[parameter.param_type_name].append(record)
    commands = getattr(command, "commands", {})
    listed = [(name, first_paragraph(each.help)) for name, each in commands.items()]
    parts += section("Arguments", of_kind["argument"], columns)
    parts += section("Options", of_kind["option"], columns)
    parts += section("Commands", listed, columns)
    return "\n\n".join(parts) + "\n"


def first_paragraph(text: str | None) -> str:
    return (text or "").partition("\n\n")[0]


def section(title: str, rows: Iterable[tuple[str, str]], columns: int) -> list[str]:
    """Its lines as one part; none where there are no rows."""
    lines = []
    for name, meaning in rows:
        lines += [wrapped(name, columns, "  "), wrapped(meaning, columns, "    ")]
    return ["\n".join([f"{title}:", *lines])] if lines else []
