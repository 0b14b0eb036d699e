# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One module per group of experiments; the registry collects the tuple EXPERIMENTS of each."""
