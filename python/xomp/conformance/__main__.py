# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m xomp.conformance` is `xomp conformance`."""

import sys

from xomp.start import main

sys.exit(main(["conformance", *sys.argv[1:]]))
