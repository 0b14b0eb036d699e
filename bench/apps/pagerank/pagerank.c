// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PageRank (Page, Brin, Motwani, Winograd 1999) in pull style: in each iteration every vertex sums
// up what its neighbours give. The loops have few large chunks, whose vertices differ in degree by
// orders of magnitude, and reduce what has changed. `for` is a region for each of the two loops of
// an iteration, `regions` one region for all iterations, `taskloop` makes a task for each chunk.
#include "../../frame/app.h"
#include "../graph/graph.h"

#include <math.h>
#include <stdlib.h>

static long scale, edges_each, iterations, chunk, seed;

static Graph graph;
static double *rank_of, *gives; // by vertex; a vertex gives its rank in equal parts
static double changed;          // by the last iteration, sum over all vertices
static const double kDamping = 0.85;

static void give(uint32_t vertex) {
  uint64_t parts = degree(&graph, vertex);
  gives[vertex] = parts ? rank_of[vertex] / (double)parts : 0;
}

// What the vertex gains, either way. Vertices without neighbours give nothing, so ranks add up to
// less than 1: the usual simplification of benchmarks (GAP: Beamer, Asanovic, Patterson 2015).
static double pull(uint32_t vertex) {
  double sum = 0;
  for (uint64_t k = graph.first[vertex]; k < graph.first[vertex + 1]; k++)
    sum += gives[graph.neighbour[k]];
  double before = rank_of[vertex];
  rank_of[vertex] = (1 - kDamping) / graph.vertices + kDamping * sum;
  return fabs(rank_of[vertex] - before);
}

static void run_for(void) {
  for (long i = 0; i < iterations; i++) {
    double sum = 0;
#pragma omp parallel for schedule(static)
    for (uint32_t v = 0; v < graph.vertices; v++)
      give(v);
#pragma omp parallel for schedule(dynamic, chunk) reduction(+ : sum)
    for (uint32_t v = 0; v < graph.vertices; v++)
      sum += pull(v);
    changed = sum;
  }
}

static void run_regions(void) {
  double sum = 0;
#pragma omp parallel
  for (long i = 0; i < iterations; i++) {
#pragma omp single
    sum = 0;
#pragma omp for schedule(static)
    for (uint32_t v = 0; v < graph.vertices; v++)
      give(v);
#pragma omp for schedule(dynamic, chunk) reduction(+ : sum)
    for (uint32_t v = 0; v < graph.vertices; v++)
      sum += pull(v);
  }
  changed = sum;
}

static void run_taskloop(void) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < iterations; i++) {
    double sum = 0;
#pragma omp taskloop grainsize(chunk)
    for (uint32_t v = 0; v < graph.vertices; v++)
      give(v);
#pragma omp taskloop grainsize(chunk) reduction(+ : sum)
    for (uint32_t v = 0; v < graph.vertices; v++)
      sum += pull(v);
    changed = sum;
  }
}

static void run_serial(void) {
  for (long i = 0; i < iterations; i++) {
    changed = 0;
    for (uint32_t v = 0; v < graph.vertices; v++)
      give(v);
    for (uint32_t v = 0; v < graph.vertices; v++)
      changed += pull(v);
  }
}

static const Variant kVariants[] = {
    {"for", "a region for each loop, dynamic schedule", run_for},
    {"regions", "one region for all iterations", run_regions},
    {"taskloop", "a task for each chunk", run_taskloop},
    {"serial", "no OpenMP", run_serial},
    {},
};

// No paper has this application; `paper` is its largest size.
static const Parameter kParameters[] = {
    {"scale", "2^scale vertices", kInteger, &scale, {"10", "18", "19", "22"}, 1, 30},
    {"edges", "per vertex", kInteger, &edges_each, {"8", "8", "8", "16"}, 1, 1024},
    {"iterations", "", kInteger, &iterations, {"4", "10", "10", "20"}, 1, 1 << 20},
    {"chunk", "vertices", kInteger, &chunk, {"64", "16384", "16384", "16384"}, 1, 1 << 30},
    {"seed", "of the graph", kInteger, &seed, {"1", "1", "1", "1"}, 0, 32767},
    {},
};

static void start_ranks(void) {
  for (uint32_t v = 0; v < graph.vertices; v++)
    rank_of[v] = 1.0 / graph.vertices;
}

static void prepare(void) {
  graph_draw(&graph, (int)scale, (int)edges_each, seed);
  rank_of = graph_allocate(graph.vertices, sizeof *rank_of);
  gives = graph_allocate(graph.vertices, sizeof *gives);
  start_ranks();
}

// The same sums by pushing: each vertex adds what it gives to all its neighbours.
static double* push_all(void) {
  double *rank = graph_allocate(graph.vertices, sizeof *rank),
         *sum = graph_allocate(graph.vertices, sizeof *sum);
  for (uint32_t v = 0; v < graph.vertices; v++)
    rank[v] = 1.0 / graph.vertices;
  for (long i = 0; i < iterations; i++) {
    for (uint32_t v = 0; v < graph.vertices; v++)
      sum[v] = 0;
    for (uint32_t v = 0; v < graph.vertices; v++)
      for (uint64_t k = graph.first[v]; k < graph.first[v + 1]; k++)
        sum[graph.neighbour[k]] += rank[v] / (double)degree(&graph, v);
    for (uint32_t v = 0; v < graph.vertices; v++)
      rank[v] = (1 - kDamping) / graph.vertices + kDamping * sum[v];
  }
  free(sum);
  return rank;
}

static int check(void) {
  double* expected = push_all();
  double total = 0, wrong = 0;
  for (uint32_t v = 0; v < graph.vertices; v++) {
    total += rank_of[v];
    wrong = fmax(wrong, fabs(rank_of[v] - expected[v]) / expected[v]);
  }
  free(expected);
  uint64_t chunks = (graph.vertices + (uint64_t)chunk - 1) / (uint64_t)chunk;
  app_tasks(app_variant_has("taskloop") ? 2 * chunks * (uint64_t)iterations : 0);
  app_note("ranks=%.6f changed=%.3e", total, changed);
  return wrong < 1e-9 && total <= 1 + 1e-9 && changed >= 0;
}

int main(int argc, char** argv) {
  static const App app = {
      "pagerank", "PageRank of an R-MAT graph", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}
