# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m xomp.bench` is `xomp bench`."""

import sys

from xomp.start import main

sys.exit(main(["bench", *sys.argv[1:]]))
