# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp run` for typer: the help, and the messages about mistakes, made of xomp.run's options."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Annotated, Any, Literal

import typer

from xomp.run import OPTIONS, Option, start

PROGRAM = Annotated[
    list[str],
    typer.Argument(
        metavar="PROGRAM [ARGUMENTS]",
        help="What to run. All that follows PROGRAM belongs to it; -- before it is allowed.",
    ),
]


def run(**given: Any) -> int:
    command = given.pop("command")
    values = {names[name]: value for name, value in given.items() if value not in (None, False)}
    return start(values, command)


def parameter(name: str, option: Option) -> Parameter:
    if option.is_flag:
        kind, default = bool, False
    else:
        kind = (Literal[option.choices] if option.choices else str) | None
        default = None
    told = typer.Option(
        option.name,
        help=option.help,
        metavar=option.metavar or None,
        show_default=option.default or True,
    )
    return Parameter(
        name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, told]
    )


names = {option.name.lstrip("-").replace("-", "_"): option.name for option in OPTIONS}
run.__signature__ = Signature(
    [
        Parameter("command", Parameter.KEYWORD_ONLY, annotation=PROGRAM),
        *(parameter(name, option) for name, option in zip(names, OPTIONS, strict=True)),
    ]
)
run.__annotations__ = {each.name: each.annotation for each in run.__signature__.parameters.values()}
