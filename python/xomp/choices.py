# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names for the command line. Made by tools/make_tables from the tables in runtime/conf."""

SCHEDULERS = (
    "auto",
    "slb",
    "xqueue1",
    "xqueue2",
    "xqueue-ws",
    "na-rp",
    "na-ws",
    "q",
    "l",
    "cq",
    "ws",
    "mts",
)

BARRIERS = (
    "tree",
    "central",
)
