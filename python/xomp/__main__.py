# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry point of ``python -m xomp``."""

import sys

from xomp.start import main

sys.exit(main())
