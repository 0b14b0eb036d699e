# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of `xomp bench` share: the command, in this process."""

from xomp.start import main as xomp


def main(arguments: list[str]) -> int:
    return xomp(["bench", *arguments])
