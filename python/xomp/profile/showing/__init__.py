# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows what was found out: on the terminal, as a page, as pictures, as tables, as a trace."""
