// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A span in words.

import { count, duration, percent } from "./format.js";
import { el } from "./dom.js";
import { AT_ONCE_REASONS, FLAGS_OF, MUTEX_WAIT, STALL, TASK } from "./kinds.js";
import { DETAIL, DOMAIN, FLAGS, KIND, ORIGIN, PLACE, STATE, classOf, laneOf, taskAround } from "./model.js";
import { constructName, placeName } from "./places.js";
import { ORIGINS } from "./colours.js";

const NO_DOMAIN = 255;
const [CONTENDED] = FLAGS_OF.MUTEX.CONTENDED;
const [AT_ONCE] = FLAGS_OF.TASK.AT_ONCE;
const [SLEPT] = FLAGS_OF.STALL.SLEPT;
const REASON_SHIFT = 6; // of the two last flags, in one that was run at once

function flagsOf(flags) {
  const atOnce = flags & AT_ONCE;
  const words = Object.values(FLAGS_OF.TASK)
    .filter(([flag]) => flags & flag && !(atOnce && flag >> REASON_SHIFT))
    .map(([, word]) => word);
  const reason = flags >> REASON_SHIFT;
  if (atOnce && reason) words[0] += ` (${AT_ONCE_REASONS[reason]})`;
  return words;
}

function taskName(model, span) {
  const task = model.task[span];
  return `${model.creator[task]}·${count(model.number[task])}`;
}

/** A list of what is known of it; `follow` is called for a task that is clicked, `piece` is the part pointed at. */
export function describe(model, span, follow = null, piece = -1) {
  const { facts } = model;
  const each = classOf(model, span);
  const thread = facts.threads[laneOf(model, span)];
  const isTask = model.task[span] >= 0;
  const rows = [];
  const row = (name, ...value) => rows.push(el("dt", {}, name), el("dd", {}, ...value));
  const times = model.times ? model.times[span] : 1;
  const outside = facts.states[each[STATE]] === "outside";
  const head = outside ? "outside of regions" : `${constructName(each[KIND], each[PLACE])}${isTask && times === 1 ? ` ${taskName(model, span)}` : ""}`;
  const task = isTask ? span : taskAround(model, span);
  const link = (other) => (follow
    ? el("button", { type: "button", class: "link", onclick: () => follow(other) }, `task ${taskName(model, other)}`)
    : `task ${taskName(model, other)}`);

  if (times > 1) row("Merged", `${count(times)} short ones, as long as they were together`);
  const took = model.end[span] - model.begin[span];
  if (!outside) row("Took", `${duration(took)}, from ${duration(model.begin[span])} on`);
  const here = piece < 0 ? took : model.pieceBegin[piece + 1] - model.pieceBegin[piece];
  if (here < took) row("Here", `${duration(here)} without a break`);
  if (model.kept?.[span]) row("Kept off", `${percent(model.kept[span])} of its own time, the processors`);
  row("On", `thread ${thread.number}${thread.domain >= 0 ? `, domain ${thread.domain}` : ""}`);
  if (!isTask && task >= 0) row("In", link(task));
  if (isTask) {
    const parent = model.parent[model.task[span]];
    if (parent >= 0) row("Parent", link(parent), `, ${placeName(facts, classOf(model, parent)[PLACE])}`);
  }
  if (each[KIND] === TASK) {
    const [origin, , hint] = ORIGINS[each[ORIGIN] - 1] ?? ["", "", ""];
    row("Origin", `${origin}: ${hint}${origin === "self" ? "" : `, by thread ${model.creator[model.task[span]]}`}`);
    if (each[DOMAIN] !== NO_DOMAIN) row("Data", `in domain ${each[DOMAIN]}`);
    const flags = flagsOf(each[FLAGS]);
    if (flags.length) row("Flags", flags.join(", "));
  }
  if (each[KIND] === MUTEX_WAIT) row("Lock", `${facts.locks[each[DETAIL]]}${each[FLAGS] & CONTENDED ? ", held by another" : ""}`);
  if (each[KIND] === STALL) row("Within", `${constructName(each[DETAIL])}${each[FLAGS] & SLEPT ? ", asleep" : ""}`);
  return el("div", { class: "description" },
    el("p", { class: "what" }, el("b", {}, head), each[PLACE] ? ` ${placeName(facts, each[PLACE])}` : ""),
    el("dl", {}, rows));
}
