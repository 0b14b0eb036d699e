// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the reader has chosen, a place of the source and a span; everything on the page follows it.

const listeners = [];
export const selection = { place: 0, span: -1 };

export function onSelection(listener) {
  listeners.push(listener);
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
