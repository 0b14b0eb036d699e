// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the page together: first what needs no decoding, then the timeline.

import { unpack } from "./codec.js";
import { byId, el } from "./dom.js";
import { showGraph } from "./graph.js";
import { buildModel } from "./model.js";
import { onSelection, selection } from "./selection.js";
import { showSizes } from "./sizes.js";
import { showDetailNote, showFigures, showFindings, showRun, showSplit } from "./summary.js";
import { showTables } from "./tables.js";
import { onTheme, startTheme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { showWorkers } from "./workers.js";

const facts = JSON.parse(byId("facts").textContent);

async function startTimeline() {
  const holder = byId("timeline");
  try {
    const columns = await unpack(byId("columns").textContent, facts.columns);
    byId("columns").remove();
    if (!columns.begin.length || !facts.run.elapsed_ns) {
      holder.replaceChildren(el("p", { class: "hint" }, "Nothing was recorded."));
      return;
    }
    new Timeline(buildModel(facts, columns), holder);
  } catch (error) {
    holder.replaceChildren(el("p", { class: "error" }, `The timeline cannot be shown: ${error.message}`));
    throw error;
  } finally {
    document.documentElement.dataset.ready = "";
  }
}

startTheme();
showRun(facts);
showFindings(facts);
showFigures(facts);
showSplit(facts);
showDetailNote(facts);
showWorkers(facts);
showSizes(facts);
showGraph(facts);
showTables(facts);
onTheme(() => {
  showFindings(facts);
  showSplit(facts);
  showWorkers(facts);
});
onSelection(() => {
  for (const button of document.querySelectorAll("#findings .place")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.place) === selection.place));
  }
});
startTimeline();
