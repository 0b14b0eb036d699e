# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes from a log where the time went and why. Nothing is printed or drawn here."""
