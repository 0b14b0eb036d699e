# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry point of ``python -m xomp.conformance``."""

import sys

from xomp.conformance.cli import main

sys.exit(main())
