# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What several commands stand on: numbers as text, colours, progress, the machine, programs and the
runtimes that they are run on."""
