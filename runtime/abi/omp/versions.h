// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second version of entry points: binaries of clang, flang and Intel's compilers ask for
// omp_NAME@VERSION, and programs of GCC that are linked to libomp or libiomp5 for
// GOMP_NAME@VERSION. At the end of the file that defines them; `node` is where libxomp.map has them
// for the others, which has to be said again, as a symbol that is versioned here gets no version
// from there.
#pragma once

#define XOMP_ALSO_VERSION(node, ...)                                                               \
  __asm__(".irp name, " #__VA_ARGS__ "\n.symver \\name, \\name\\()@@" #node                        \
          ",remove\n.symver \\name, \\name\\()@VERSION\n.endr")

/// Another name of the routine, for those binaries only.
#define XOMP_ALSO_NAME(name, other) __asm__(".symver " #name "," #other "@@VERSION")

/// Where those binaries get another answer: omp_theirs_NAME is omp_NAME@VERSION.
#define XOMP_OTHER_IN_VERSION(node, ...)                                                           \
  __asm__(".irp name, " #__VA_ARGS__ "\n.symver omp_\\name, omp_\\name\\()@@" #node                \
          ",remove\n.symver omp_theirs_\\name, omp_\\name\\()@VERSION,remove\n.endr")
