// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An undirected graph with few vertices of many neighbours and many of few, as in networks of
// people or pages: a recursive matrix (R-MAT: Chakrabarti, Zhan, Faloutsos, SDM 2004) with the
// probabilities and the random names of Graph500.
#ifndef XOMP_BENCH_GRAPH_H
#define XOMP_BENCH_GRAPH_H

#include <stdint.h>

// Compressed rows: the neighbours of v are neighbour[first[v]] up to neighbour[first[v + 1]] in
// ascending order, without v itself and without repetition.
typedef struct {
  uint32_t vertices;
  uint64_t* first;
  uint32_t* neighbour;
} Graph;

static inline uint64_t degree(const Graph* graph, uint32_t vertex) {
  return graph->first[vertex + 1] - graph->first[vertex];
}

// The graph of 2^scale vertices that comes from `edges` random edges each. Rejects the input if
// there is no memory for it.
void graph_draw(Graph* graph, int scale, int edges, long seed);

// Random numbers: the `index`th of the series `seed`.
uint64_t graph_random(uint64_t seed, uint64_t index);

int graph_has_edge(const Graph* graph, uint32_t from, uint32_t to);

// malloc that rejects the input if there is no memory.
void* graph_allocate(uint64_t count, uint64_t bytes);

#endif
