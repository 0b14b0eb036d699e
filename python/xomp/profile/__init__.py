# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a recorded run did with its time: reads logs of XOMP_PERFLOG and explains them."""
