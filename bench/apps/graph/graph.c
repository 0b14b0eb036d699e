// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph.h"

#include "../../frame/app.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t from, to;
} Edge;

void* graph_allocate(uint64_t count, uint64_t bytes) {
  void* memory = calloc(count, bytes);
  if (memory == NULL)
    app_reject("no memory for a graph of this --scale");
  return memory;
}

// splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
uint64_t graph_random(uint64_t seed, uint64_t index) {
  uint64_t bits = (seed << 48) + (index + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// Descends into a quadrant of the matrix for each bit of the two ends. Graph500's probabilities are
// 0.57, 0.19, 0.19 and 0.05.
static Edge draw_edge(int scale, uint64_t seed, uint64_t index) {
  Edge edge = {0, 0};
  for (int bit = 0; bit < scale; bit++) {
    double where = (double)(graph_random(seed, index * 64 + bit) >> 11) * 0x1p-53;
    int down = where >= 0.76;
    int right = (where >= 0.57 && where < 0.76) || where >= 0.95;
    edge.from = edge.from << 1 | (uint32_t)down;
    edge.to = edge.to << 1 | (uint32_t)right;
  }
  return edge;
}

// So that a vertex's number says nothing about its degree.
static uint32_t* draw_names(uint32_t vertices, uint64_t seed) {
  uint32_t* name = graph_allocate(vertices, sizeof *name);
  for (uint32_t i = 0; i < vertices; i++) {
    uint32_t place = (uint32_t)(graph_random(seed ^ 0x8000, i) % (i + 1));
    name[i] = name[place];
    name[place] = i;
  }
  return name;
}

// Turns counts, which stand one place ahead, into places.
static void add_up(uint64_t* first, uint32_t vertices) {
  for (uint32_t v = 0; v < vertices; v++)
    first[v + 1] += first[v];
}

// Both directions of all edges in compressed rows, in any order.
static Graph gather(const Edge* edge, uint64_t edges, uint32_t vertices) {
  Graph graph = {vertices, graph_allocate(vertices + 2ull, sizeof *graph.first),
                 graph_allocate(2 * edges + 1, sizeof *graph.neighbour)};
  uint64_t* next = graph.first + 1; // is moved on while rows are filled
  for (uint64_t i = 0; i < edges; i++)
    if (edge[i].from != edge[i].to) {
      next[edge[i].from + 1]++;
      next[edge[i].to + 1]++;
    }
  add_up(next, vertices);
  for (uint64_t i = 0; i < edges; i++)
    if (edge[i].from != edge[i].to) {
      graph.neighbour[next[edge[i].from]++] = edge[i].to;
      graph.neighbour[next[edge[i].to]++] = edge[i].from;
    }
  return graph;
}

// The transpose of a symmetric matrix is the matrix, but its rows are filled in ascending order.
static void sort_rows(const Graph* unsorted, Graph* graph) {
  uint32_t vertices = graph->vertices = unsorted->vertices;
  graph->neighbour = graph_allocate(unsorted->first[vertices] + 1, sizeof *graph->neighbour);
  uint64_t* next = graph->first = graph_allocate(vertices + 1ull, sizeof *next);
  memcpy(next, unsorted->first, (vertices + 1ull) * sizeof *next);
  for (uint32_t v = 0; v < vertices; v++)
    for (uint64_t i = unsorted->first[v]; i < unsorted->first[v + 1]; i++)
      graph->neighbour[next[unsorted->neighbour[i]]++] = v;
  memcpy(next, unsorted->first, (vertices + 1ull) * sizeof *next);
}

static void drop_repetitions(Graph* graph) {
  uint64_t kept = 0, begin = 0;
  for (uint32_t v = 0; v < graph->vertices; v++) {
    uint64_t end = graph->first[v + 1], row = kept;
    for (uint64_t i = begin; i < end; i++)
      if (kept == row || graph->neighbour[kept - 1] != graph->neighbour[i])
        graph->neighbour[kept++] = graph->neighbour[i];
    begin = end;
    graph->first[v + 1] = kept;
  }
}

void graph_draw(Graph* graph, int scale, int edges_each, long seed) {
  uint32_t vertices = 1u << scale;
  uint64_t edges = (uint64_t)vertices * (uint64_t)edges_each;
  Edge* edge = graph_allocate(edges, sizeof *edge);
  uint32_t* name = draw_names(vertices, (uint64_t)seed);
  for (uint64_t i = 0; i < edges; i++) {
    Edge drawn = draw_edge(scale, (uint64_t)seed, i);
    edge[i] = (Edge){name[drawn.from], name[drawn.to]};
  }
  Graph unsorted = gather(edge, edges, vertices);
  free(edge);
  free(name);
  sort_rows(&unsorted, graph);
  free(unsorted.first);
  free(unsorted.neighbour);
  drop_repetitions(graph);
}

int graph_has_edge(const Graph* graph, uint32_t from, uint32_t to) {
  uint64_t low = graph->first[from], high = graph->first[from + 1];
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (graph->neighbour[middle] == to)
      return 1;
    if (graph->neighbour[middle] < to)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}
