// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts triangles: each edge leads from the vertex of lower degree to that of higher degree, and
// for each edge the rows of its two ends are intersected. What a vertex costs is known only when it
// is done. A task for each chunk of vertices, made by one thread (`chunk`) or by halving the
// vertices again and again (`split`); `for` is the worksharing loop beside them.
#include "../../frame/app.h"
#include "../graph/graph.h"

#include <stdlib.h>

static long scale, edges_each, chunk, seed;

static Graph graph; // every edge once, from the end that comes first in `before`
static uint64_t chunks, found;

static uint64_t intersect(uint32_t a, uint32_t b) {
  const uint32_t *left = graph.neighbour + graph.first[a],
                 *right = graph.neighbour + graph.first[b];
  const uint32_t *left_end = graph.neighbour + graph.first[a + 1],
                 *right_end = graph.neighbour + graph.first[b + 1];
  uint64_t common = 0;
  while (left < left_end && right < right_end) {
    uint32_t from_left = *left, from_right = *right;
    common += from_left == from_right;
    left += from_left <= from_right;
    right += from_right <= from_left;
  }
  return common;
}

static uint64_t count(uint64_t index) {
  uint64_t begin = index * (uint64_t)chunk, end = begin + (uint64_t)chunk, triangles = 0;
  for (uint64_t v = begin; v < end && v < graph.vertices; v++)
    for (uint64_t k = graph.first[v]; k < graph.first[v + 1]; k++)
      triangles += intersect((uint32_t)v, graph.neighbour[k]);
  return triangles;
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// One function per variant: whether a task is tied is fixed when it is compiled.
#define CHUNK(NAME, TIE)                                                                           \
  static void NAME(void) {                                                                         \
    uint64_t* part = graph_allocate(chunks, sizeof *part);                                         \
    for (uint64_t i = 0; i < chunks; i++) {                                                        \
      PRAGMA(omp task TIE)                                                                         \
      part[i] = count(i);                                                                          \
    }                                                                                              \
    _Pragma("omp taskwait") for (uint64_t i = 0; i < chunks; i++) found += part[i];                \
    free(part);                                                                                    \
  }                                                                                                \
  static void run_##NAME(void) { _Pragma("omp parallel") _Pragma("omp single") NAME(); }

#define SPLIT(NAME, TIE)                                                                           \
  static uint64_t NAME(uint64_t begin, uint64_t end) {                                             \
    if (end - begin == 1)                                                                          \
      return count(begin);                                                                         \
    uint64_t middle = begin + (end - begin) / 2, left, right;                                      \
    PRAGMA(omp task TIE shared(left))                                                              \
    left = NAME(begin, middle);                                                                    \
    PRAGMA(omp task TIE shared(right))                                                             \
    right = NAME(middle, end);                                                                     \
    _Pragma("omp taskwait") return left + right;                                                   \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    _Pragma("omp parallel") _Pragma("omp single") found = NAME(0, chunks);                         \
  }

CHUNK(chunk_tied, )
CHUNK(chunk_untied, untied)
SPLIT(split_tied, )
SPLIT(split_untied, untied)

static void run_for(void) {
#pragma omp parallel for schedule(dynamic) reduction(+ : found)
  for (uint64_t i = 0; i < chunks; i++)
    found += count(i);
}

static void run_serial(void) {
  for (uint64_t i = 0; i < chunks; i++)
    found += count(i);
}

static const Variant kVariants[] = {
    {"chunk-tied", "one thread makes a tied task per chunk of vertices", run_chunk_tied},
    {"chunk-untied", "one thread makes an untied task per chunk", run_chunk_untied},
    {"split-tied", "tied tasks halve the vertices down to chunks", run_split_tied},
    {"split-untied", "untied tasks halve the vertices down to chunks", run_split_untied},
    {"for", "a worksharing loop with a dynamic schedule", run_for},
    {"serial", "no OpenMP", run_serial},
    {},
};

// No paper has this application; `paper` is its largest size.
static const Parameter kParameters[] = {
    {"scale", "2^scale vertices", kInteger, &scale, {"9", "14", "17", "20"}, 1, 30},
    {"edges", "per vertex", kInteger, &edges_each, {"16", "16", "16", "16"}, 1, 1024},
    {"chunk", "vertices of a task", kInteger, &chunk, {"4", "4", "4", "4"}, 1, 1 << 30},
    {"seed", "of the graph", kInteger, &seed, {"1", "1", "1", "1"}, 0, 32767},
    {},
};

static int before(const Graph* whole, uint32_t a, uint32_t b) {
  uint64_t left = degree(whole, a), right = degree(whole, b);
  return left < right || (left == right && a < b);
}

// Keeps of each edge one direction.
static void prepare(void) {
  graph_draw(&graph, (int)scale, (int)edges_each, seed);
  Graph whole = graph;
  graph.first = graph_allocate(whole.vertices + 1ull, sizeof *graph.first);
  graph.neighbour = graph_allocate(whole.first[whole.vertices] / 2 + 1, sizeof *graph.neighbour);
  uint64_t kept = 0;
  for (uint32_t v = 0; v < whole.vertices; v++) {
    for (uint64_t k = whole.first[v]; k < whole.first[v + 1]; k++)
      if (before(&whole, v, whole.neighbour[k]))
        graph.neighbour[kept++] = whole.neighbour[k];
    graph.first[v + 1] = kept;
  }
  free(whole.first);
  free(whole.neighbour);
  chunks = (graph.vertices + (uint64_t)chunk - 1) / (uint64_t)chunk;
}

// Another algorithm: marks the neighbours of each vertex and looks for marks two steps away.
static uint64_t count_by_marks(void) {
  uint8_t* marked = graph_allocate(graph.vertices, 1);
  uint64_t triangles = 0;
  for (uint32_t v = 0; v < graph.vertices; v++) {
    for (uint64_t k = graph.first[v]; k < graph.first[v + 1]; k++)
      marked[graph.neighbour[k]] = 1;
    for (uint64_t k = graph.first[v]; k < graph.first[v + 1]; k++) {
      uint32_t middle = graph.neighbour[k];
      for (uint64_t l = graph.first[middle]; l < graph.first[middle + 1]; l++)
        triangles += marked[graph.neighbour[l]];
    }
    for (uint64_t k = graph.first[v]; k < graph.first[v + 1]; k++)
      marked[graph.neighbour[k]] = 0;
  }
  free(marked);
  return triangles;
}

static int check(void) {
  app_tasks(app_variant_has("chunk") ? chunks : app_variant_has("split") ? 2 * (chunks - 1) : 0);
  app_note("graph_edges=%llu triangles=%llu", (unsigned long long)graph.first[graph.vertices],
           (unsigned long long)found);
  return found == count_by_marks();
}

int main(int argc, char** argv) {
  static const App app = {
      "triangles", "Triangles of an R-MAT graph", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}
