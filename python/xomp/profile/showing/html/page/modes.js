// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways to colour the timeline. Each gives every span a category; the first ones are drawn lowest.

import { TASK } from "./kinds.js";
import { DOMAIN, KIND, ORIGIN, PLACE, STATE, WORK, classOf, isSequential } from "./model.js";
import { ORIGINS, decadeColour, distinct, domainColour, mixed, partColour, partName, plain, stateColour, stateName } from "./colours.js";
import { SEQUENTIAL, placeName, topPlaces } from "./places.js";
import { selection } from "./selection.js";

const NO_DOMAIN = 255;
const FADED = 0.82;
const part = (key) => ({ name: partName(key), colour: () => partColour(key) });
const state = (key) => ({ name: stateName(key), colour: () => stateColour(key) });
const OTHER_WORK = { name: "other work", colour: () => plain("rest") };

export const MODES = [
  ["place", "Place", "by the source place of the code"],
  ["origin", "Origin", "by where a task was created: by the same thread, in its domain, elsewhere"],
  ["domain", "Data", "by the locality domain of the task's data"],
  ["state", "State", "work, overhead and idle"],
  ["size", "Size", "by the task's duration"],
];

/** Categories with names and colours, and the category of each span. */
export function categorize(model, mode) {
  const found = { place: byPlace, origin: byOrigin, domain: byDomain, state: byState, size: bySize }[mode](model);
  const category = new Uint8Array(model.size);
  if (found.ofSpan) for (let span = 0; span < model.size; span++) category[span] = found.ofSpan(span);
  else {
    const table = Uint8Array.from(model.classes.map(found.ofClass));
    for (let span = 0; span < model.size; span++) category[span] = table[model.class[span]];
  }
  // What a thread was kept off lies within its spans: no span has it as its category.
  const kept = model.kept ? found.categories.length : -1;
  const categories = model.kept ? [...found.categories, part("kept_off")] : found.categories;
  return { ...highlighted(model, categories, category), kept: kept >= 0 && selection.place ? kept + categories.length : kept };
}

/** With a place selected its spans keep their colours, and all else fades. */
function highlighted(model, categories, category) {
  if (!selection.place) return { categories, category };
  const count = categories.length;
  const faded = categories.map((each) => ({ ...each, colour: () => mixed(each.colour(), plain("ground"), FADED), faded: true }));
  const inside = Uint8Array.from(model.classes.map((each) => each[PLACE] === selection.place));
  const shifted = new Uint8Array(category.length);
  for (let span = 0; span < category.length; span++) shifted[span] = category[span] + (inside[model.class[span]] ? 0 : count);
  return { categories: [...categories, ...faded], category: shifted };
}

/** Categories of what is not work come last. */
function withRest(model, categories, ofWork) {
  const all = [...categories, OTHER_WORK, part("overhead"), part("idle"), state("outside")];
  const rest = categories.length;
  const states = model.facts.states.map((name) => ({ work: -1, stall: rest + 2, order: rest + 2, outside: rest + 3 })[name] ?? rest + 1);
  return {
    categories: all,
    ofClass: (each) => (states[each[STATE]] >= 0 ? states[each[STATE]] : ofWork(each) ?? rest),
  };
}

function byPlace(model) {
  const top = topPlaces(model.facts);
  const index = new Map(top.map((place, at) => [place, at]));
  const categories = top.map((place, at) => ({ name: placeName(model.facts, place), colour: () => distinct(at), place }));
  categories.push({ name: SEQUENTIAL, colour: () => plain("alone") });
  return withRest(model, categories, (each) => (isSequential(each[KIND], each[PLACE]) ? top.length : index.get(each[PLACE])));
}

function byOrigin(model) {
  const categories = ORIGINS.map(([name, colour, hint]) => ({ name: `${name}: ${hint}`, colour: () => colour }));
  return withRest(model, categories, (each) => (each[ORIGIN] ? each[ORIGIN] - 1 : undefined));
}

function byDomain(model) {
  const used = new Set(model.classes.filter((each) => each[KIND] === TASK).map((each) => each[DOMAIN]));
  const domains = [...used].filter((domain) => domain !== NO_DOMAIN).sort((a, b) => a - b);
  const index = new Map(domains.map((domain, at) => [domain, at]));
  const categories = domains.map((domain) => ({ name: `data in domain ${domain}`, label: String(domain), colour: () => domainColour(domain) }));
  return withRest(model, categories, (each) => (each[KIND] === TASK ? index.get(each[DOMAIN]) : undefined));
}

function byState(model) {
  return { categories: model.facts.states.filter((name) => name !== "kept_off").map(state), ofClass: (each) => each[STATE] };
}

function bySize(model) {
  const perNs = model.facts.run.ticks_per_ns;
  const decade = (span) => Math.max(0, Math.min(10, Math.floor(Math.log10(Math.max(1, (model.end[span] - model.begin[span]) * perNs)))));
  const present = new Set();
  for (let span = 0; span < model.size; span++) if (classOf(model, span)[KIND] === TASK) present.add(decade(span));
  const decades = [...present].sort((a, b) => a - b);
  const index = new Map(decades.map((each, at) => [each, at]));
  const names = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "¹⁰"];
  const categories = decades.map((each) => ({ name: `10${names[each]} cycles`, colour: () => decadeColour(each) }));
  const rest = withRest(model, categories, () => undefined);
  const table = model.classes.map((each) => (each[KIND] === TASK && each[STATE] === WORK ? -1 : rest.ofClass(each)));
  return {
    categories: rest.categories,
    ofSpan: (span) => (table[model.class[span]] >= 0 ? table[model.class[span]] : index.get(decade(span))),
  };
}
