# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GCC's own libgomp test suite, built once and run on the system's libgomp and on xomp.

Start it with ``python -m xomp.conformance``; docs/conformance.md tells how it works.
Only the standard library is needed; rich, where present, draws the progress bar and the table.
"""
