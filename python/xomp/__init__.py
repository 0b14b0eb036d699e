# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools around libxomp. This file holds the project's version, which CMake and the package metadata read here."""

__version__ = "0.1.0"
