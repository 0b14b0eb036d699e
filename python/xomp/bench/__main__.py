# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m xomp.bench` is `xomp bench`."""

import sys

from xomp.bench.cli import main

sys.exit(main())
