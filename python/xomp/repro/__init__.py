# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp repro`: every table and figure of the five papers as a command; README.md says how."""
