# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source of a library that the command takes for libxomp.so: it has nothing but the version."""

from xomp import __version__

NOTE = f"""
__asm__(".section .note.xomp, \\"a\\", @note\\n .balign 4\\n .long 5, {len(__version__) + 1}, 1\\n"
        ".asciz \\"xomp\\"\\n .balign 4\\n .asciz \\"{__version__}\\"\\n .balign 4\\n");
"""
