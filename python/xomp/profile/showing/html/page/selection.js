// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the reader has chosen, a place of the source and a span; everything on the page follows it.

const listeners = [];
const NOTHING_CHOSEN = { place: 0, span: -1, model: null }; // the span is one of that model
export const selection = { ...NOTHING_CHOSEN };

export function onSelection(listener) {
  listeners.push(listener);
}

/** Another run is shown: whoever showed the last one no longer listens. */
export function forgetSelection() {
  listeners.length = 0;
  Object.assign(selection, NOTHING_CHOSEN);
}

export function select(changes) {
  const before = { ...selection };
  Object.assign(selection, changes);
  for (const listener of listeners) listener(before);
}

/** The same place again: no place. */
export function togglePlace(place) {
  select({ place: place === selection.place ? 0 : place });
}
