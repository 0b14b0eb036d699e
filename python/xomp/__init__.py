# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools around libxomp.

The project's version stands here alone; CMake and the package metadata read it from this file.
"""

__version__ = "0.1.0"
