// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No language has such a call. The first arguments go into registers, as the platform's convention
// has it, the others to the stack, the last one highest.
#include "sys/call_many.h"

#define XOMP_FUNCTION(body)                                                                        \
  asm(".text\n"                                                                                    \
      ".p2align 4\n"                                                                               \
      ".globl xomp_call_many\n"                                                                    \
      ".hidden xomp_call_many\n"                                                                   \
      ".type xomp_call_many, @function\n"                                                          \
      "xomp_call_many:\n"                                                                          \
      ".cfi_startproc\n" body ".cfi_endproc\n"                                                     \
      ".size xomp_call_many, . - xomp_call_many\n")

#if defined(__x86_64__)
// Six in registers. The stack pointer is a multiple of 16 at a call: a pad under an odd number.
XOMP_FUNCTION("push %rbp\n"
              ".cfi_def_cfa_offset 16\n"
              ".cfi_offset %rbp, -16\n"
              "mov %rsp, %rbp\n"
              ".cfi_def_cfa_register %rbp\n"
              "test $1, %r8b\n"
              "jz 1f\n"
              "push $0\n"
              "1: push -8(%rcx,%r8,8)\n"
              "dec %r8\n"
              "cmp $4, %r8\n"
              "ja 1b\n"
              "mov %rdi, %rax\n"
              "mov %rsi, %rdi\n"
              "mov %rdx, %rsi\n"
              "mov (%rcx), %rdx\n"
              "mov 16(%rcx), %r8\n"
              "mov 24(%rcx), %r9\n"
              "mov 8(%rcx), %rcx\n"
              "call *%rax\n"
              "leave\n"
              ".cfi_def_cfa %rsp, 8\n"
              "ret\n");
#elif defined(__aarch64__)
// Eight in registers. The stack pointer is a multiple of 16 always.
XOMP_FUNCTION("stp x29, x30, [sp, #-16]!\n"
              ".cfi_def_cfa_offset 16\n"
              ".cfi_offset x29, -16\n"
              ".cfi_offset x30, -8\n"
              "mov x29, sp\n"
              ".cfi_def_cfa_register x29\n"
              "sub x9, x4, #5\n"
              "lsl x9, x9, #3\n"
              "and x9, x9, #-16\n"
              "sub sp, sp, x9\n"
              "mov x10, sp\n"
              "add x11, x3, #48\n"
              "add x12, x3, x4, lsl #3\n"
              "1: ldr x13, [x11], #8\n"
              "str x13, [x10], #8\n"
              "cmp x11, x12\n"
              "b.lo 1b\n"
              "mov x16, x0\n"
              "mov x0, x1\n"
              "mov x1, x2\n"
              "mov x9, x3\n"
              "ldp x2, x3, [x9]\n"
              "ldp x4, x5, [x9, #16]\n"
              "ldp x6, x7, [x9, #32]\n"
              "blr x16\n"
              "mov sp, x29\n"
              ".cfi_def_cfa_register sp\n"
              "ldp x29, x30, [sp], #16\n"
              ".cfi_def_cfa_offset 0\n"
              ".cfi_restore x29\n"
              ".cfi_restore x30\n"
              "ret\n");
#elif defined(__powerpc64__)
// Eight in registers, which have their places on the stack all the same, behind four words of the
// frame's own. The old stack pointer is kept in r31, whose value is saved at the frame's end.
XOMP_FUNCTION("mflr 0\n"
              "std 0, 16(1)\n"
              ".cfi_offset 65, 16\n"
              "std 31, -8(1)\n"
              ".cfi_offset 31, -8\n"
              "mr 31, 1\n"
              ".cfi_def_cfa_register 31\n"
              "addi 8, 7, 8\n"
              "clrrdi 8, 8, 1\n"
              "sldi 8, 8, 3\n"
              "neg 8, 8\n"
              "stdux 1, 1, 8\n"
              "std 2, 24(1)\n"
              "addi 9, 6, 40\n"
              "addi 10, 1, 88\n"
              "addi 7, 7, -6\n"
              "mtctr 7\n"
              "1: ldu 8, 8(9)\n"
              "stdu 8, 8(10)\n"
              "bdnz 1b\n"
              "mr 12, 3\n"
              "mr 3, 4\n"
              "mr 4, 5\n"
              "mr 11, 6\n"
              "ld 5, 0(11)\n"
              "ld 6, 8(11)\n"
              "ld 7, 16(11)\n"
              "ld 8, 24(11)\n"
              "ld 9, 32(11)\n"
              "ld 10, 40(11)\n"
              "mtctr 12\n"
              "bctrl\n"
              "ld 2, 24(1)\n"
              "mr 1, 31\n"
              ".cfi_def_cfa_register 1\n"
              "ld 31, -8(1)\n"
              "ld 0, 16(1)\n"
              "mtlr 0\n"
              "blr\n");
#endif
