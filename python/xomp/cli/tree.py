# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands that are listed at once and imported when they are called.

An `Entry` says where a command is defined: a function with typer's annotations, or a group. Only
when the command runs, or its help is shown, its module is imported. What a command function returns
is the exit status; how it may end otherwise stands in `ending`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from xomp.cli.options import flat
from xomp.errors import BAD_INPUT, FAILED, INTERRUPTED, CommandError, nearest, tell

# typer has a click of its own from some version on; what they call UsageError is this.
UsageError = typer.BadParameter.__base__
CHOICE = re.compile(r"'(?P<given>.*)' is not one of '(?P<known>.*)'")
ENOUGH = 64  # columns, in which typer cuts no name


@dataclass(frozen=True)
class Entry:
    """One line of a group's help, and where the command is: MODULE:NAME."""

    name: str
    where: str
    help: str
    panel: str | None = None
    context: Mapping[str, Any] = field(default_factory=dict)  # settings of click's context
    sources: bool = False  # whether it needs a checkout

    @property
    def module(self):
        return import_module(self.where.partition(":")[0])

    def load(self) -> TyperCommand | TyperGroup:
        found = getattr(self.module, self.where.partition(":")[2])
        if isinstance(found, TyperGroup):
            return found
        app = typer.Typer(add_completion=False)
        make = app.command(
            self.name, cls=Command, help=self.help, context_settings=dict(self.context)
        )
        make(flat(found))
        made = typer.main.get_command(app)
        made.sources = self.sources
        return made


class Helped:
    """For commands and groups: the help of a terminal that is too narrow for typer's."""

    def format_help(self, context: typer.Context, formatter: Any) -> None:
        columns = shutil.get_terminal_size().columns
        if columns >= ENOUGH:
            super().format_help(context, formatter)
        else:
            from xomp.cli import narrow

            formatter.write(narrow.text(self, context, columns))


class Command(Helped, TyperCommand):
    """A command whose errors are told in the one form."""

    sources = False

    def invoke(self, context: typer.Context) -> Any:
        with ending(context.command_path):
            if self.sources:
                from xomp.shared.paths import need_sources

                need_sources()
            return super().invoke(context)


class Group(Helped, TyperGroup):
    """Some commands."""


class Root(Group):
    """The whole: what no command has told is told here, before typer tells it its own way."""

    def make_context(self, *words: Any, **more: Any) -> typer.Context:
        with ending("xomp"):
            return super().make_context(*words, **more)

    def invoke(self, context: typer.Context) -> Any:
        with ending("xomp"):
            return super().invoke(context)


class Pending(TyperCommand):
    """Stands for a command in lists, and hands over to it when it is called."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry.name, help=entry.help, rich_help_panel=entry.panel)
        self.entry = entry

    def make_context(
        self, info_name: str | None, args: list[str], parent: typer.Context | None = None, **extra
    ) -> typer.Context:
        with ending(" ".join(filter(None, (parent and parent.command_path, info_name)))):
            return self.entry.load().make_context(info_name, args, parent=parent, **extra)


def group(name: str, help: str, entries: Iterable[Entry]) -> TyperGroup:
    made = Group(name=name, help=help, no_args_is_help=True)
    add(made, entries)
    return made


def add(made: TyperGroup, entries: Iterable[Entry]) -> None:
    for entry in entries:
        made.add_command(Pending(entry))


@contextmanager
def ending(path: str) -> Iterator[None]:
    """Whatever a user can cause is one line that begins with the command, and a status."""
    try:
        yield
    except UsageError as error:
        tell_mistake(error.ctx.command_path if error.ctx else path, error)
        raise typer.Exit(BAD_INPUT) from None
    except CommandError as error:
        tell(path, error)
        raise typer.Exit(error.status) from None
    except KeyboardInterrupt:
        tell(path, "interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        raise
    except OSError as error:  # a folder that may not be written to, a disk that is full
        if error.filename is None:
            raise
        tell(path, f"{error.filename}: {error.strerror}")
        raise typer.Exit(FAILED) from None


def tell_mistake(path: str, error: Exception) -> None:
    """What is wrong with the command line."""
    kind = type(error).__name__  # which of them are public differs between versions
    if kind != "NoArgsIsHelpError":  # which showed the help
        tell(path, mistake(path, kind, error))


def mistake(path: str, kind: str, error: Exception) -> str:
    text = error.message.removeprefix("Value error, ").rstrip(".")
    see = f"; see `{path} --help`"
    if kind == "NoSuchOption":
        # Without the dashes, in which all are alike.
        known_names = [each.strip("-") for each in error.possibilities or ()]
        near = nearest(error.option_name.strip("-"), known_names)
        known = f"; did you mean --{near}?" if near else see
        return f"no option '{error.option_name}'{known}"
    if kind == "BadOptionUsage":
        said = text.removeprefix(f"Option {error.option_name!r} ")
        return f"{error.option_name} {said}{see}"
    if kind == "MissingParameter":
        return f"{parameter_name(error.param)} is missing{see}"
    if kind == "BadParameter" and error.param is not None:
        return f"{parameter_name(error.param)}: {nearest_choice(text)}"
    text = text[:1].lower() + text[1:].replace(". Did you mean", "; did you mean")
    return text if text.endswith("?") else text + see


def nearest_choice(text: str) -> str:
    """Of what typer says of a value that is none of a few, the one that was probably meant."""
    found = CHOICE.fullmatch(text)
    near = nearest(found["given"], found["known"].split("', '")) if found else None
    return f"there is no '{found['given']}'; did you mean '{near}'?" if near else text


def parameter_name(parameter) -> str:
    """An option as it is written, an argument as the help calls it."""
    if parameter.param_type_name == "option":
        return max(parameter.opts, key=len)
    return (parameter.metavar or parameter.name).split()[0]
