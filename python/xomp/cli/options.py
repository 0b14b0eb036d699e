# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options that several commands share, or that are passed on together, are the fields of a
dataclass. A command takes it as one parameter, whose default says what each of them is if it is not
given:

    def fib(options: Options, measuring: Measuring = Measuring(rounds=15)) -> int:
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_type_hints


class OfMachine(tuple):
    """A default that is another one on another machine, and the words for it: helps and manual
    pages are read elsewhere."""

    words: str

    def __new__(cls, values: Any, words: str) -> OfMachine:
        made = super().__new__(cls, values)
        made.words = words
        return made


def flat(function: Callable[..., int]) -> Callable[..., int]:
    """The function with the fields of its dataclasses as parameters of its own, as typer wants."""
    hints = get_type_hints(function, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    flattened: list[Parameter] = []
    for parameter in signature(function).parameters.values():
        kind = groups.get(parameter.name)
        if kind is None:
            flattened.append(
                parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
            )
        else:
            flattened += parameters_of(kind, parameter.default)

    @wraps(function)
    def called(**values: Any) -> int:
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        return function(**values)

    called.__signature__ = Signature(flattened)
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in flattened}
    del called.__wrapped__  # typer would look through it
    return called


def parameters_of(kind: type, default: Any) -> list[Parameter]:
    """A parameter for each field; `default` is an instance with the defaults, or empty."""
    hints = get_type_hints(kind, include_extras=True)

    def default_of(field) -> Any:
        if default is not Parameter.empty:
            return getattr(default, field.name)
        return Parameter.empty if field.default is MISSING else field.default

    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=default_of(field),
            annotation=in_words(hints[field.name], default_of(field)),
        )
        for field in fields(kind)
    ]


def in_words(annotation: Any, default: Any) -> Any:
    """The annotation, with the words for such a default."""
    if not isinstance(default, OfMachine):
        return annotation
    kind, told = get_args(annotation)
    told = copy.copy(told)
    told.show_default = default.words
    return Annotated[kind, told]
