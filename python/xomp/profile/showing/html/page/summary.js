// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page's head: what the run was, what it lost its time with and why, and its key numbers.

import { partColour, partName, stateColour, stateName } from "./colours.js";
import { byId, el, legend } from "./dom.js";
import { count, duration, percent } from "./format.js";
import { placeButton } from "./places.js";

/** Under which conditions it ran, in a line. */
export function runWords(run) {
  const started = new Date(Number(BigInt(run.start_ns) / 1000000n));
  const words = [
    `${count(run.threads)} threads`,
    run.processors && `${count(run.processors)} processors`,
    `ran ${duration(run.elapsed_ns)}`,
    run.start_ns !== "0" && started.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }),
    `process ${run.pid}`,
    run.version && `xomp ${run.version}`,
  ];
  return words.filter(Boolean).join(" · ");
}

export function showRun(facts) {
  const { run } = facts;
  document.title = `${run.command} – xomp report`;
  byId("command").textContent = run.command;
  byId("run").textContent = runWords(run);
  const settings = Object.entries(run.settings);
  byId("settings").hidden = !settings.length;
  if (settings.length) {
    byId("settings").replaceChildren(
      el("summary", {}, `${settings.length} settings in force`),
      ...settings.flatMap(([name, value]) => [el("code", {}, `${name}=${value}`), " "]),
    );
  }
  for (const [id, lines] of [["problems", run.problems], ["notes", run.notes]]) {
    byId(id).hidden = !lines.length;
    byId(id).replaceChildren(...lines.map((text) => el("li", {}, withCode(text))));
  }
}

export function showFindings(facts, holder) {
  if (!facts.findings.length) {
    holder.replaceChildren(el("p", {}, "Nothing stands out: no single cause explains much of the threads' time."));
    return;
  }
  holder.replaceChildren(el("ol", {}, facts.findings.map(({ title, where, place, share, evidence, advice }) =>
    el("li", {},
      el("h3", {}, el("span", {}, title, where || place ? `: ${where} ` : "", place ? placeButton(facts, place) : null),
        el("span", { class: "share", title: "of the threads' time" }, percent(share))),
      evidence.map((line) => el("p", {}, withCode(line))),
      advice.map((line) => el("p", { class: "advice" }, withCode(line)))))));
}

/** What stands between backquotes is code. */
export function withCode(text) {
  return text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
}

export function showFigures(facts) {
  byId("figures").replaceChildren(el("dl", { class: "figures" },
    facts.figures.map(({ name, text }) => el("div", {}, el("dt", {}, name), el("dd", {}, text)))));
}

/** Where all threads' time went: paper 3, Fig. 2. A bar of full width is `whole` long. */
export function showSplit(facts, holder, whole = facts.split.total) {
  const { split } = facts;
  const parts = [];
  // What is less than nothing, inflation where caches help, is told and takes no room in the bar.
  const add = (name, colour, value, group, drawn = Math.max(0, value)) => value && parts.push({ name, colour, value, group, drawn });
  if (split.inflation == null) add(partName("work"), partColour("work"), split.work, "work");
  else {
    add(partName("serial_work"), partColour("serial_work"), split.serial, "serial_work", Math.min(split.serial, split.work));
    add(partName("inflation"), partColour("inflation"), split.inflation, "inflation");
  }
  for (const group of ["overhead", "idle"]) {
    for (const [name, value] of Object.entries(split[group])) add(stateName(name), stateColour(name), value, group);
  }
  if (split.kept_off) add(partName("kept_off"), partColour("kept_off"), split.kept_off, "kept_off");
  const groups = {};
  for (const { group, value } of parts) groups[group] = (groups[group] ?? 0) + value;
  const bar = (entries) => el("div", { class: "bar" }, entries.filter(({ drawn }) => drawn > 0).map(({ name, colour, value, drawn }) =>
    el("span", { style: `width:${(100 * drawn) / whole}%;background:${colour}`, title: `${name}: ${duration(value)}, ${percent(value / split.total)}` })));
  holder.replaceChildren(
    el("p", { class: "split-groups" }, Object.entries(groups).map(([group, value]) =>
      el("span", {}, el("b", {}, percent(value / split.total)), ` ${partName(group)}`))),
    bar(parts),
    legend(parts.map(({ name, colour, value }) => ({ name, colour, value: `${duration(value)}, ${percent(value / split.total)}` }))),
    el("p", { class: "hint" }, `All of it is ${count(facts.run.threads)} threads times ${duration(facts.run.elapsed_ns)}: ${duration(split.total)}.`),
  );
}

/** What the timeline leaves out; nothing where it shows every span. */
export function detailNote(facts) {
  const { detail } = facts;
  if (detail.spans >= detail.of) return "";
  return el("p", { class: "hint detail-note" },
    `To be quick, the timeline draws ${count(detail.spans)} boxes for ${count(detail.of)} spans: within ${duration(detail.short_ns)} the short ones that are alike are one box, ` +
    "as long as they were together. All other numbers on this page are of all spans.");
}
