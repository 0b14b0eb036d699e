// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the page together: first what needs no decoding, then the timelines. It shows one run, or two
// side by side; of several processes, the one that is chosen.

import { unpack } from "./codec.js";
import { showComparison } from "./compare.js";
import { byId, el } from "./dom.js";
import { showGraph } from "./graph.js";
import { buildModel } from "./model.js";
import { forgetSelection, onSelection, selection } from "./selection.js";
import { showSizes } from "./sizes.js";
import { detailNote, showFigures, showFindings, showRun, showSplit } from "./summary.js";
import { showTables } from "./tables.js";
import { forgetTheme, onTheme, startTheme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { showWorkers } from "./workers.js";

const runs = [...document.querySelectorAll(".facts")].map((script) => JSON.parse(script.textContent));
const columns = [...document.querySelectorAll(".columns")].map((script) => script.textContent);
const comparison = byId("comparison") && JSON.parse(byId("comparison").textContent);
const NAMES = ["A", "B"];

/** A holder for each of the runs: the part of the page itself, or as many within it, each with its name above. */
function holders(id, shown, narrow = false) {
  const part = byId(id);
  part.replaceChildren();
  if (shown.length === 1) return [part];
  const inner = shown.map(() => el("div"));
  part.append(el("div", { class: narrow ? "sides narrow" : "sides" }, inner.map((holder, at) =>
    el("div", { class: "side" }, el("h3", { class: "side-name" }, el("b", {}, NAMES[at]), shown[at].run.command), holder))));
  return inner;
}

async function startTimeline(at, holder, length, suffix) {
  const facts = runs[at];
  holder.replaceChildren(el("p", { class: "hint" }, "Opening …"));
  try {
    const unpacked = await unpack(columns[at], facts.columns);
    if (!unpacked.begin.length || !facts.run.elapsed_ns) {
      holder.replaceChildren(el("p", { class: "hint" }, "Nothing was recorded."));
      return;
    }
    const model = buildModel(facts, unpacked);
    model.length = length;
    new Timeline(model, holder, suffix);
    const note = detailNote(facts);
    if (note) holder.prepend(note);
  } catch (error) {
    holder.replaceChildren(el("p", { class: "error" }, `The timeline cannot be shown: ${error.message}`));
    throw error;
  }
}

/** A card with nothing in it does not appear, nor does the way to it. */
function showCards(shown) {
  const filled = {
    places: shown.some(({ constructs }) => constructs.length),
    sizes: shown.some(({ sizes }) => sizes.length),
    graph: shown.some(({ edges }) => edges.length),
    mutexes: shown.some(({ mutexes }) => mutexes.length),
  };
  for (const [name, there] of Object.entries(filled)) {
    byId(`part-${name}`).hidden = !there;
    document.querySelector(`nav [href="#part-${name}"]`).hidden = !there;
  }
}

/** The runs of these numbers, and nothing else. */
async function show(numbers) {
  delete document.documentElement.dataset.ready;
  forgetSelection();
  forgetTheme();
  const shown = numbers.map((at) => runs[at]);
  const whole = Math.max(...shown.map(({ split }) => split.total));
  const length = Math.max(...shown.map(({ run }) => run.elapsed_ns));
  if (shown.length > 1) showComparison(shown, NAMES, comparison);
  else {
    showRun(shown[0]);
    showFigures(shown[0]);
  }
  showCards(shown);
  const parts = [
    ["findings", showFindings, true, true],
    ["split", (facts, holder) => showSplit(facts, holder, whole), true, false],
    ["workers", showWorkers, true, false],
    ["sizes", showSizes, false, false],
    ["graph", showGraph, false, true],
  ];
  for (const [id, fill, coloured, narrow] of parts) {
    const within = holders(id, shown, narrow);
    const draw = () => shown.forEach((facts, at) => fill(facts, within[at]));
    draw();
    if (coloured) onTheme(draw);
  }
  const [places, threads, mutexes] = ["places", "threads", "mutexes"].map((id) => holders(id, shown));
  shown.forEach((facts, at) => showTables(facts, { places: places[at], threads: threads[at], mutexes: mutexes[at] }));
  onSelection(() => {
    for (const button of document.querySelectorAll(".findings .place, #figures .place")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.place) === selection.place));
    }
  });
  const timelines = holders("timeline", shown);
  try {
    for (const [at, holder] of timelines.entries()) await startTimeline(numbers[at], holder, length, at ? `-${at}` : "");
  } finally {
    document.documentElement.dataset.ready = "";
  }
}

function startProcesses() {
  const choice = byId("processes");
  choice.hidden = false;
  choice.replaceChildren(...runs.map(({ run }, at) => el("option", { value: at }, `process ${run.pid}: ${run.command}`)));
  choice.addEventListener("change", () => show([Number(choice.value)]));
}

startTheme();
if (comparison) {
  for (const facts of runs) facts.beside = runs;
  show([0, 1]);
} else {
  if (runs.length > 1) startProcesses();
  show([0]);
}
