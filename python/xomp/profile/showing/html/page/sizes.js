// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task sizes: for each place, how many tasks, or how much of their time, lies in which decade of cycles.

import { choice, el } from "./dom.js";
import { count, duration, percent, short } from "./format.js";
import { placeButton, placeColour } from "./places.js";
import { onSelection, selection } from "./selection.js";

const POWERS = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "¹⁰"];
const MOST = 25; // places

export function showSizes(facts, holder) {
  const { sizes } = facts;
  if (!sizes.length) {
    holder.replaceChildren(el("p", { class: "hint" }, "This run had no tasks."));
    return;
  }
  let what = "counts";
  const body = el("div", { class: "scroll-across" });
  const draw = () => body.replaceChildren(table(facts, what));
  holder.replaceChildren(
    el("div", { class: "tools" }, choice("Show", [["counts", "Number of tasks"], ["times", "Time in them"]], what, (value) => {
      what = value;
      draw();
    })),
    body,
  );
  onSelection((before) => before.place !== selection.place && draw());
  draw();
}

function table(facts, what) {
  const total = (row) => row[what].reduce((sum, value) => sum + value, 0);
  const rows = [...facts.sizes].sort((a, b) => total(b) - total(a));
  const used = rows[0][what].map((_, decade) => decade).filter((decade) => rows.some((row) => row.counts[decade]));
  const decades = Array.from({ length: used[used.length - 1] - used[0] + 1 }, (_, at) => used[0] + at);
  const perNs = facts.run.ticks_per_ns;
  const text = what === "counts" ? short : duration;
  const exact = what === "counts" ? count : duration;
  const all = { place: -1, [what]: rows[0][what].map((_, decade) => rows.reduce((sum, row) => sum + row[what][decade], 0)) };
  const line = (row) => {
    const sum = total(row);
    const colour = row.place < 0 ? "var(--dim)" : placeColour(facts, row.place);
    return el("tr", { class: row.place === selection.place && row.place ? "chosen" : "" },
      el("th", { scope: "row" }, row.place < 0 ? "all tasks" : row.place ? placeButton(facts, row.place) : "other places"),
      decades.map((decade) => {
        const value = row[what][decade];
        const share = sum ? value / sum : 0;
        return el("td", { title: `${exact(value)}, ${percent(share)}` },
          value ? el("div", { class: "column" }, el("span", { style: `height:${Math.max(3, 100 * share)}%;background:${colour}` })) : null,
          el("small", {}, value ? text(value) : ""));
      }),
      el("td", { class: "sum" }, exact(sum)));
  };
  return el("table", { class: "sizes" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Cycles of a task's own code"),
      decades.map((decade) => el("th", { scope: "col" }, `10${POWERS[decade]}`, el("small", {}, `${duration(10 ** decade / perNs)}`))),
      el("th", { scope: "col" }, "Sum"))),
    el("tbody", {}, rows.length > 1 ? line(all) : null, rows.slice(0, MOST).map(line)));
}
