# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry point of ``python -m xomp``; a Python script that it runs is run by the same Python."""

import sys

from xomp.start import main

sys.exit(main(python=sys.executable))
