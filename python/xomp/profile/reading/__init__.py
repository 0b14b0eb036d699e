# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what the recorder wrote: logs, and the names of what their addresses stand for."""
