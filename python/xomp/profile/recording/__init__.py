# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program and has it recorded; where nothing is recorded, samples it from outside."""
