// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two runs side by side: which is faster, what was different, and their numbers.

import { byId, el } from "./dom.js";
import { placeButton } from "./places.js";
import { runWords, withCode } from "./summary.js";

export function showComparison(shown, names, comparison) {
  document.title = `${comparison.verdict} – xomp report`;
  byId("command").textContent = comparison.verdict;
  byId("run").replaceChildren(
    ...shown.map((facts, at) => el("p", {}, el("b", {}, names[at]), el("code", {}, facts.run.command), " ", runWords(facts.run))),
    comparison.differences.length
      ? table(["Different settings", ...names], comparison.differences.map(([name, ...values]) => [el("code", {}, name), ...values.map((value) => el("code", {}, value))]))
      : "",
  );
  byId("settings").hidden = true;
  for (const key of ["problems", "notes"]) {
    const lines = shown.flatMap(({ run }, at) => run[key].map((text) => el("li", {}, `${names[at]}: `, withCode(text))));
    byId(key).hidden = !lines.length;
    byId(key).replaceChildren(...lines);
  }
  const ratio = `${names[1]} / ${names[0]}`;
  byId("figures").replaceChildren(
    table(["", ...names, ratio], comparison.numbers),
    ...(comparison.tasks.length ? [
      el("h3", {}, "Tasks by place"),
      table(["Place", `Tasks ${names[0]}`, names[1], `Mean ${names[0]}`, names[1], ratio],
        comparison.tasks.map(([place, name, ...cells]) => [place ? placeButton(shown[0], place) : name, ...cells])),
    ] : []),
  );
}

/** The first column in words, the others numbers. */
function table(heads, rows) {
  return el("div", { class: "scroll-across" }, el("table", { class: "beside" },
    el("thead", {}, el("tr", {}, heads.map((head, at) => el("th", { scope: "col", class: at ? "amount" : "" }, head)))),
    el("tbody", {}, rows.map(([first, ...cells]) => el("tr", {}, el("th", { scope: "row" }, first), cells.map((cell) => el("td", { class: "amount" }, cell)))))));
}
