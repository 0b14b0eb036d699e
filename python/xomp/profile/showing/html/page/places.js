// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of places and constructs.

import { MOST_PLACES, distinct, plain } from "./colours.js";
import { el } from "./dom.js";
import { middle } from "./format.js";
import { KIND_WORDS } from "./kinds.js";
import { isSequential } from "./model.js";
import { selection, togglePlace } from "./selection.js";

export const SEQUENTIAL = "outside of regions, on one thread";

export function constructName(kind, place) {
  return isSequential(kind, place) ? "code outside of regions" : KIND_WORDS[kind];
}

/** fib, fib.c:12 */
export function placeName(facts, place) {
  if (!place) return "an unknown place";
  const { name, source } = facts.places[place];
  return !name || name === source ? source : `${name}, ${source}`;
}

/** The places whose own code takes most time, most first; in runs side by side, in all of them. */
export function topPlaces(facts) {
  const time = new Map();
  for (const { place, busy_ns: busy } of (facts.beside ?? [facts]).flatMap(({ constructs }) => constructs)) if (place) time.set(place, (time.get(place) ?? 0) + busy);
  return [...time].filter(([, work]) => work > 0).sort((a, b) => b[1] - a[1]).slice(0, MOST_PLACES).map(([place]) => place);
}

export function placeColour(facts, place) {
  if (!place) return plain("alone");
  const at = topPlaces(facts).indexOf(place);
  return at < 0 ? plain("rest") : distinct(at);
}

/** A button that selects a place everywhere on the page. */
export function placeButton(facts, place) {
  if (!place) return el("span", {}, placeName(facts, place));
  const { file, line, name, source } = facts.places[place];
  return el(
    "button",
    {
      type: "button",
      class: "place",
      "data-place": place,
      "aria-pressed": String(place === selection.place),
      title: `${name && name !== source ? `${name}, ` : ""}${file ? `${file}:${line}` : source}: click to highlight it`,
      onclick: () => togglePlace(place),
    },
    el("i", { style: `background:${placeColour(facts, place)}` }),
    el("span", {}, middle(name || source)),
    name && name !== source ? el("small", {}, middle(source)) : null,
  );
}
