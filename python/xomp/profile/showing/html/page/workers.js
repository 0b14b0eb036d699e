// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row for each thread: its time, and its tasks (paper 1, Fig. 3).

import { ORIGINS, plain, stateColour, stateName } from "./colours.js";
import { choice, el, legend } from "./dom.js";
import { count, duration, percent, short } from "./format.js";

const HOW = [
  ["at_once", "#0072b2", "run at once"],
  ["queued", "#56b4e9", "from its own queue"],
  ["pushed", "#009e73", "pushed by another thread (static)"],
  ["stolen", "#d55e00", "moved to it (stolen)"],
];
const SUMMED = ["summed", null, "not recorded one by one"];
const ROOMY = 48; // more threads than this have thin rows

let how = "origin";

export function showWorkers(facts, holder) {
  const draw = () => body.replaceChildren(...rows(facts));
  const tasks = facts.threads.some((thread) => thread.executed || thread.created);
  const body = el("div", { class: `workers${facts.threads.length > ROOMY ? " many" : ""}${tasks ? "" : " without-tasks"}` });
  holder.replaceChildren(
    el("div", { class: "tools", hidden: !tasks }, choice("Tasks by", [["origin", "Origin", "who created them"], ["way", "Arrival", "how they came to the thread"]], how, (value) => {
      how = value;
      draw();
    })),
    body,
  );
  draw();
}

function rows(facts) {
  const { threads, states } = facts;
  const parts = [...(how === "origin" ? ORIGINS : HOW)];
  if (threads.some((thread) => thread.summed)) parts.push([SUMMED[0], plain("rest"), SUMMED[2]]);
  const executed = Math.max(1, ...threads.map((thread) => thread.executed));
  const created = Math.max(...threads.map((thread) => thread.created));
  // One producer of all tasks must not make the others' bars too short to see.
  const most = created > 2 * executed ? executed : Math.max(executed, created);
  const every = threads.length > ROOMY ? 16 : 1;
  const elapsed = facts.run.elapsed_ns;
  const present = states.map((name, at) => [name, at]).filter(([, at]) => threads.some((thread) => thread.states[at] > 0));
  const bar = (values, total) => el("div", { class: "bar" }, values.filter(([, , value]) => value > 0).map(([name, colour, value, text]) =>
    el("span", { style: `width:${(100 * value) / total}%;background:${colour}`, title: `${name}: ${text}` })));
  const heads = [
    el("div", { class: "workers-head" }),
    el("div", { class: "workers-head" }, el("h3", {}, "Time"), legend(present.map(([name]) => ({ name: stateName(name), colour: stateColour(name) }))),
      el("div", { class: "scale" }, el("span", {}, "0"), el("span", {}, duration(elapsed)))),
    el("div", { class: "workers-head" }, el("h3", {}, "Tasks executed, and created"),
      legend([...parts.map(([, colour, name]) => ({ name, colour })), { name: "created by the thread", colour: plain("ink") }]),
      el("div", { class: "scale" }, el("span", {}, "0"), el("span", {}, short(most)))),
  ];
  return heads.concat(threads.flatMap((thread, at) => [
    el("div", { class: "workers-name" }, at % every ? "" : `${threads.length > ROOMY ? "" : "thread "}${thread.number}`),
    bar(present.map(([name, state]) => [`thread ${thread.number}, ${stateName(name)}`, stateColour(name), thread.states[state],
      `${duration(thread.states[state])}, ${percent(thread.states[state] / elapsed)}`]), elapsed),
    el("div", { class: "tasks", title: `thread ${thread.number}: ${count(thread.executed)} executed, ${count(thread.created)} created` },
      bar(parts.map(([key, colour, name]) => [`thread ${thread.number}, ${name}`, colour, thread[key], count(thread[key])]), most),
      thread.created > most
        ? el("b", {}, `${short(thread.created)} created ▸`)
        : el("i", { style: `left:${(100 * thread.created) / most}%` })),
  ]));
}
