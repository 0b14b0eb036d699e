# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The colours of Okabe and Ito, which stay distinct under every kind of colour vision."""

from __future__ import annotations

VERMILION = "#D55E00"
BLUE = "#0072B2"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY = "#56B4E9"
BLACK = "#000000"
