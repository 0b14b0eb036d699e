# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: one typer tree, whose commands are imported when they are called.

`commands` is the list of them; `tree` makes commands of functions; `options` lets a function take a
dataclass of options; `values` reads what people write after an option; `main` runs it all.
"""
