// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best local alignment of two proteins in linear space, as ClustalW does it: one pass finds the
// best score and where it ends, one backwards where it begins, and Myers and Miller's divide and
// conquer (Optimal alignments in linear space, 1988) aligns what lies between.
#ifndef XOMP_BENCH_ALIGNMENT_PAIR_H
#define XOMP_BENCH_ALIGNMENT_PAIR_H

#include "proteins.h"

typedef struct {
  int score;      // of the best local alignment
  int path_score; // of the alignment found, added up along it: the same if all is well
  int identities; // columns with the same residue twice
} Pair;

// A gap of k residues costs kOpen + k * kExtend: BLAST's choice for BLOSUM62.
enum { kOpen = 11, kExtend = 1 };

Pair pair_align(const Protein* first, const Protein* second);

#endif
