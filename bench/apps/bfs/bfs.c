// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breadth-first search: trees of shortest paths from some roots, level by level, in a graph whose
// vertices differ in degree by orders of magnitude. A task for each chunk of the frontier, made by
// one thread (`chunk`) or by halving the frontier again and again (`split`); `for` is the
// worksharing loop beside them.
#include "../../frame/app.h"
#include "../graph/graph.h"

#include <stdlib.h>
#include <string.h>

static long scale, edges_each, roots, chunk, seed;

static Graph graph;
static const uint32_t kNone = UINT32_MAX;

// The search that is going on.
static uint32_t* parent;   // by vertex; kNone if not reached
static uint32_t* frontier; // the vertices of this level
static uint32_t* next;     // the vertices of the next level as they are found
static uint32_t found;     // how many
static uint32_t** parents; // of all searches
static uint32_t* root;     // of all searches
static uint64_t tasks;

enum { kBuffer = 256 };

static void append(const uint32_t* vertex, uint32_t count) {
  uint32_t place = __atomic_fetch_add(&found, count, __ATOMIC_RELAXED);
  memcpy(next + place, vertex, count * sizeof *vertex);
}

static int claim(uint32_t vertex, uint32_t from) {
  uint32_t nobody = kNone;
  return __atomic_load_n(&parent[vertex], __ATOMIC_RELAXED) == kNone &&
         __atomic_compare_exchange_n(&parent[vertex], &nobody, from, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

static void expand(uint32_t begin, uint32_t end) {
  uint32_t mine[kBuffer], count = 0;
  for (uint32_t i = begin; i < end; i++) {
    uint32_t from = frontier[i];
    for (uint64_t k = graph.first[from]; k < graph.first[from + 1]; k++) {
      if (!claim(graph.neighbour[k], from))
        continue;
      mine[count++] = graph.neighbour[k];
      if (count == kBuffer) {
        append(mine, count);
        count = 0;
      }
    }
  }
  append(mine, count);
}

static void expand_all(uint32_t size) { expand(0, size); }

static uint64_t split_tasks(uint32_t size) {
  return size <= chunk ? 0 : 2 + split_tasks(size / 2) + split_tasks(size - size / 2);
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// One function per variant: whether a task is tied is fixed when it is compiled.
#define CHUNK(NAME, TIE)                                                                           \
  static void NAME(uint32_t size) {                                                                \
    for (uint32_t begin = 0; begin < size; begin += chunk) {                                       \
      uint32_t end = size - begin < chunk ? size : begin + (uint32_t)chunk;                        \
      PRAGMA(omp task TIE)                                                                         \
      expand(begin, end);                                                                          \
      tasks++;                                                                                     \
    }                                                                                              \
    _Pragma("omp taskwait")                                                                        \
  }                                                                                                \
  static void run_##NAME(void) { _Pragma("omp parallel") _Pragma("omp single") search_all(NAME); }

#define SPLIT(NAME, TIE)                                                                           \
  static void part_##NAME(uint32_t begin, uint32_t end) {                                          \
    if (end - begin <= chunk) {                                                                    \
      expand(begin, end);                                                                          \
      return;                                                                                      \
    }                                                                                              \
    uint32_t middle = begin + (end - begin) / 2;                                                   \
    PRAGMA(omp task TIE)                                                                           \
    part_##NAME(begin, middle);                                                                    \
    PRAGMA(omp task TIE)                                                                           \
    part_##NAME(middle, end);                                                                      \
    _Pragma("omp taskwait")                                                                        \
  }                                                                                                \
  static void NAME(uint32_t size) {                                                                \
    part_##NAME(0, size);                                                                          \
    tasks += split_tasks(size);                                                                    \
  }                                                                                                \
  static void run_##NAME(void) { _Pragma("omp parallel") _Pragma("omp single") search_all(NAME); }

static void begin_search(long index) {
  parent = parents[index];
  parent[root[index]] = root[index];
  frontier[0] = root[index];
}

// Makes what was found the frontier; returns its size.
static uint32_t next_level(void) {
  uint32_t size = found;
  uint32_t* old = frontier;
  frontier = next;
  next = old;
  found = 0;
  return size;
}

static void search_all(void (*expand_level)(uint32_t)) {
  for (long index = 0; index < roots; index++) {
    begin_search(index);
    for (uint32_t size = 1; size > 0; size = next_level())
      expand_level(size);
  }
}

CHUNK(chunk_tied, )
CHUNK(chunk_untied, untied)
SPLIT(split_tied, )
SPLIT(split_untied, untied)

static void run_for(void) {
  for (long index = 0; index < roots; index++) {
    begin_search(index);
    uint32_t size = 1;
#pragma omp parallel
    while (size > 0) {
#pragma omp for schedule(dynamic)
      for (uint32_t begin = 0; begin < size; begin += (uint32_t)chunk)
        expand(begin, size - begin < chunk ? size : begin + (uint32_t)chunk);
#pragma omp single
      size = next_level();
    }
  }
}

static void run_serial(void) { search_all(expand_all); }

static const Variant kVariants[] = {
    {"chunk-tied", "one thread makes a tied task per chunk of the frontier", run_chunk_tied},
    {"chunk-untied", "one thread makes an untied task per chunk", run_chunk_untied},
    {"split-tied", "tied tasks halve the frontier down to chunks", run_split_tied},
    {"split-untied", "untied tasks halve the frontier down to chunks", run_split_untied},
    {"for", "a worksharing loop with a dynamic schedule", run_for},
    {"serial", "no OpenMP", run_serial},
    {},
};

// No paper has this application; `paper` is its largest size. Graph500 has 16 edges per vertex and
// 64 roots.
static const Parameter kParameters[] = {
    {"scale", "2^scale vertices", kInteger, &scale, {"10", "16", "19", "22"}, 1, 30},
    {"edges", "per vertex", kInteger, &edges_each, {"16", "16", "16", "16"}, 1, 1024},
    {"roots", "searches", kInteger, &roots, {"4", "16", "16", "64"}, 1, 4096},
    {"chunk",
     "vertices of the frontier that a task expands",
     kInteger,
     &chunk,
     {"16", "64", "64", "64"},
     1,
     1 << 30},
    {"seed", "of the graph", kInteger, &seed, {"1", "1", "1", "1"}, 0, 32767},
    {},
};

// Roots are drawn among the vertices that have neighbours.
static void prepare(void) {
  graph_draw(&graph, (int)scale, (int)edges_each, seed);
  frontier = graph_allocate(graph.vertices, sizeof *frontier);
  next = graph_allocate(graph.vertices, sizeof *next);
  parents = graph_allocate((uint64_t)roots, sizeof *parents);
  root = graph_allocate((uint64_t)roots, sizeof *root);
  if (graph.first[graph.vertices] == 0)
    app_reject("the graph of --seed %ld has no edge", seed);
  for (long index = 0; index < roots; index++) {
    parents[index] = graph_allocate(graph.vertices, sizeof **parents);
    memset(parents[index], 0xff, graph.vertices * sizeof **parents);
    uint64_t drawn = graph_random((uint64_t)seed ^ 0x4000, (uint64_t)index);
    uint32_t vertex = (uint32_t)(drawn % graph.vertices);
    while (degree(&graph, vertex) == 0)
      vertex = (vertex + 1) % graph.vertices;
    root[index] = vertex;
  }
}

// Distances from the root by another search, kNone if there is no path.
static void measure(uint32_t from, uint32_t* distance) {
  uint32_t* queue = frontier;
  uint32_t tail = 1;
  memset(distance, 0xff, graph.vertices * sizeof *distance);
  distance[from] = 0;
  queue[0] = from;
  for (uint32_t head = 0; head < tail; head++)
    for (uint64_t k = graph.first[queue[head]]; k < graph.first[queue[head] + 1]; k++) {
      uint32_t vertex = graph.neighbour[k];
      if (distance[vertex] != kNone)
        continue;
      distance[vertex] = distance[queue[head]] + 1;
      queue[tail++] = vertex;
    }
}

// Whether the tree spans what can be reached, by edges of the graph, and each edge leads one step
// away from the root.
static int tree_right(const uint32_t* tree, uint32_t from, const uint32_t* distance) {
  for (uint32_t v = 0; v < graph.vertices; v++) {
    if ((tree[v] == kNone) != (distance[v] == kNone))
      return 0;
    if (tree[v] == kNone || v == from)
      continue;
    if (!graph_has_edge(&graph, v, tree[v]) || distance[tree[v]] + 1 != distance[v])
      return 0;
  }
  return tree[from] == from;
}

static int check(void) {
  uint32_t* distance = graph_allocate(graph.vertices, sizeof *distance);
  uint64_t traversed = 0, reached = 0;
  int right = 1;
  for (long index = 0; index < roots; index++) {
    measure(root[index], distance);
    right &= tree_right(parents[index], root[index], distance);
    for (uint32_t v = 0; v < graph.vertices; v++)
      if (distance[v] != kNone) {
        reached++;
        traversed += degree(&graph, v);
      }
  }
  free(distance);
  app_tasks(tasks);
  app_note("reached=%llu mteps=%.3f", (unsigned long long)reached,
           (double)traversed / 2 / app_seconds() / 1e6);
  return right;
}

int main(int argc, char** argv) {
  static const App app = {
      "bfs", "Breadth-first search of an R-MAT graph", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}
