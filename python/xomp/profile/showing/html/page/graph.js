// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The task graph folded by source place: who creates whom, what depends on what, and how often.

import { el, svg } from "./dom.js";
import { count, duration, middle, short } from "./format.js";
import { placeColour, placeName } from "./places.js";
import { onSelection, selection, togglePlace } from "./selection.js";

const BOX = { width: 190, height: 54, across: 46, down: 64 };
const MOST = 30; // places; more than this cannot be read

export function showGraph(facts, holder) {
  if (!facts.edges.length) {
    holder.replaceChildren(el("p", { class: "hint" }, "This run had no tasks."));
    return;
  }
  const graph = fold(facts);
  layOut(graph);
  const draw = () => holder.replaceChildren(
    el("div", { class: "scroll-across" }, picture(facts, graph)),
    el("p", { class: "hint" },
      graph.left ? `The ${count(graph.left)} places with the fewest tasks are left out. ` : "",
      "An arrow goes from the code that creates tasks to these tasks, a dashed one from a task to those that depend on it; the numbers tell how many."),
  );
  onSelection((before) => before.place !== selection.place && draw());
  draw();
}

function fold(facts) {
  const tasks = new Map();
  for (const [, head, kind, number] of facts.edges) if (kind === "creates") tasks.set(head, (tasks.get(head) ?? 0) + number);
  const all = [...new Set(facts.edges.flatMap(([tail, head]) => [tail, head]))].sort((a, b) => (tasks.get(b) ?? 0) - (tasks.get(a) ?? 0));
  const kept = new Set(all.slice(0, MOST));
  const work = new Map();
  for (const { place, work_ns: time } of facts.constructs) work.set(place, (work.get(place) ?? 0) + time);
  const nodes = new Map([...kept].map((place) => [place, { place, tasks: tasks.get(place) ?? 0, work: work.get(place) ?? 0 }]));
  const edges = facts.edges.filter(([tail, head]) => kept.has(tail) && kept.has(head))
    .map(([tail, head, kind, number]) => ({ tail: nodes.get(tail), head: nodes.get(head), kind, number }));
  return { nodes: [...nodes.values()], edges, left: all.length - kept.size };
}

/** Layers by the longest way from a place that nobody creates; within a layer near to their creators. */
function layOut(graph) {
  const { nodes, edges } = graph;
  const forward = edges.filter(({ tail, head }) => tail !== head);
  const state = new Map();
  const visit = (node) => {
    state.set(node, 1);
    for (const edge of forward) {
      if (edge.tail !== node) continue;
      if (state.get(edge.head) === 1) edge.back = true;
      else if (!state.has(edge.head)) visit(edge.head);
    }
    state.set(node, 2);
  };
  const created = new Set(forward.map(({ head }) => head));
  for (const node of [...nodes.filter((each) => !created.has(each)), ...nodes]) if (!state.has(node)) visit(node);
  for (const node of nodes) node.layer = 0;
  for (let round = 0; round < nodes.length; round++) {
    let changed = false;
    for (const { tail, head, back } of forward) {
      if (!back && head.layer <= tail.layer) {
        head.layer = tail.layer + 1;
        changed = true;
      }
    }
    if (!changed) break;
  }
  const layers = [];
  for (const node of nodes) (layers[node.layer] ??= []).push(node);
  const wide = Math.max(...layers.map((layer) => layer.length));
  graph.width = wide * (BOX.width + BOX.across) + BOX.across;
  graph.height = layers.length * (BOX.height + BOX.down) - BOX.down + 24;
  const place = (layer) => layer.forEach((node, at) => {
    node.x = (graph.width - layer.length * (BOX.width + BOX.across) + BOX.across) / 2 + at * (BOX.width + BOX.across);
    node.y = 12 + node.layer * (BOX.height + BOX.down);
  });
  layers.forEach(place);
  for (let round = 0; round < 4; round++) {
    for (const layer of round % 2 ? [...layers].reverse() : layers) {
      const middle = (node) => {
        const near = forward.flatMap(({ tail, head }) => (tail === node ? [head.x] : head === node ? [tail.x] : []));
        return near.length ? near.reduce((a, b) => a + b) / near.length : node.x;
      };
      layer.sort((a, b) => middle(a) - middle(b));
      place(layer);
    }
  }
  spread(graph);
}

/** The ends of arrows at a box lie side by side, in the order of where they come from or go to. */
function spread({ nodes, edges }) {
  const others = edges.filter(({ tail, head }) => tail !== head);
  for (const node of nodes) {
    const sides = { top: [], bottom: [] };
    for (const edge of others) {
      if (edge.tail === node) sides[edge.back ? "top" : "bottom"].push({ edge, end: "from", other: edge.head.x });
      if (edge.head === node) sides[edge.back ? "bottom" : "top"].push({ edge, end: "to", other: edge.tail.x });
    }
    for (const [side, ends] of Object.entries(sides)) {
      ends.sort((a, b) => a.other - b.other);
      ends.forEach(({ edge, end }, at) => {
        const y = side === "top" ? node.y - 2 : node.y + BOX.height + (end === "to" ? 2 : 0);
        edge[end] = [node.x + (BOX.width * (at + 1)) / (ends.length + 1), y];
      });
    }
  }
}

function picture(facts, graph) {
  const most = Math.max(...graph.edges.map(({ number }) => number));
  const marker = (id, colour) => svg("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto", markerUnits: "userSpaceOnUse" },
    svg("path", { d: "M0 0 8 4 0 8z", fill: colour }));
  return svg("svg", { class: "graph", viewBox: `0 0 ${graph.width} ${graph.height}`, width: graph.width, height: graph.height, role: "img",
    "aria-label": "Task graph folded by source place" },
    svg("defs", {}, marker("arrow", "var(--dim)"), marker("arrow-depends", "var(--accent)")),
    graph.edges.map((edge) => arrow(edge, most)),
    graph.nodes.map((node) => box(facts, node)));
}

function arrow({ tail, head, from, to, kind, number, back }, most) {
  const width = 1 + 2.5 * (Math.log10(number + 1) / Math.log10(most + 1));
  const depends = kind === "depends";
  let path;
  let at;
  if (tail === head) {
    const [x, y] = [tail.x + BOX.width, tail.y + (depends ? 30 : 10)];
    path = `M${x} ${y}c34 -8 34 26 4 16`;
    at = [x + 8, y - 5];
  } else {
    const [[x1, y1], [x2, y2]] = [from, to];
    const bend = Math.max(24, Math.abs(y2 - y1) / 2.2) * (back ? -1 : 1);
    path = `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
    const along = Math.abs(tail.layer - head.layer) > 1 ? 0.25 : 0.5; // not behind the box that lies between
    const [a, b, c, d] = [(1 - along) ** 3, 3 * (1 - along) ** 2 * along, 3 * (1 - along) * along ** 2, along ** 3];
    at = [(a + b) * x1 + (c + d) * x2 + 6, a * y1 + b * (y1 + bend) + c * (y2 - bend) + d * y2];
  }
  const name = `${kind === "depends" ? "dependences" : "tasks created"}: ${count(number)}`;
  return svg("g", { class: `edge ${kind}` },
    svg("path", { d: path, "stroke-width": width, "marker-end": `url(#arrow${depends ? "-depends" : ""})` }, svg("title", {}, name)),
    svg("text", { x: at[0], y: at[1] }, short(number)));
}

function box(facts, node) {
  const { name, source } = facts.places[node.place];
  const chosen = node.place && node.place === selection.place;
  const title = node.place ? name || source : "not known";
  const below = node.tasks ? `${short(node.tasks)} tasks, ${duration(node.work)}` : `work ${duration(node.work)}`;
  const choose = () => node.place && togglePlace(node.place);
  return svg("g", {
    class: `node${chosen ? " chosen" : ""}`, tabindex: node.place ? 0 : null, role: node.place ? "button" : null, onclick: choose,
    onkeydown: (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose();
      }
    },
  },
  svg("title", {}, placeName(facts, node.place)),
  svg("rect", { x: node.x, y: node.y, width: BOX.width, height: BOX.height, rx: 7 }),
  svg("rect", { x: node.x, y: node.y, width: 5, height: BOX.height, rx: 2.5, style: `fill:${placeColour(facts, node.place)};stroke:none` }),
  svg("text", { x: node.x + 14, y: node.y + 17, class: "title" }, middle(title, 24)),
  svg("text", { x: node.x + 14, y: node.y + 32 }, name && name !== source ? middle(source, 28) : ""),
  svg("text", { x: node.x + 14, y: node.y + 46 }, below));
}
