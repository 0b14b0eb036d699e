// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page's colours. The distinct ones are those of Okabe and Ito, which every kind of colour vision tells apart.

import { byId } from "./dom.js";
import { dark } from "./theme.js";

const DISTINCT = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b3a000", "#7a62b5", "#8c6d46", "#3f9c9c"];
const DECADES = ["#30123b", "#4454c4", "#4490fe", "#1fc8de", "#29efa2", "#7dff56", "#c1f334", "#f1ca3a", "#fe922a", "#ea4f0d", "#be2102"];

export const MOST_PLACES = DISTINCT.length;

export function distinct(index) {
  return DISTINCT[index % DISTINCT.length];
}

export function decadeColour(index) {
  return DECADES[index];
}

/** Of what is not told apart. */
export function plain(name) {
  const [light, night] = {
    alone: ["#4a5568", "#8e9bb0"],
    rest: ["#7f8b9b", "#6c7787"],
    ground: ["#ffffff", "#171b21"],
    ink: ["#1b2029", "#e8ebf0"],
    dim: ["#5d6675", "#9aa4b2"],
    line: ["#dde2e9", "#2b323c"],
    accent: ["#0b5cad", "#7ab8ff"],
  }[name];
  return dark() ? night : light;
}

// What the time is divided into: [name, colour, colour in the dark], as everywhere in reports.
const { parts: PARTS, states: STATES, domains: DOMAINS } = JSON.parse(byId("categories").textContent);
const themed = ([, light, night]) => (dark() ? night : light);

export function stateColour(name) {
  return themed(STATES[name]);
}

export function stateName(name) {
  return STATES[name][0];
}

export function partColour(name) {
  return themed(PARTS[name]);
}

export function partName(name) {
  return PARTS[name][0];
}

export function domainColour(index) {
  return DOMAINS[index % DOMAINS.length];
}

export const ORIGINS = [
  ["self", "#0072b2", "created by itself"],
  ["local", "#009e73", "created in its domain"],
  ["remote", "#d55e00", "created in another domain"],
];

export function components(colour) {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A colour, so much of it towards another. */
export function mixed(colour, other, share) {
  const [a, b] = [components(colour), components(other)];
  return `#${a.map((value, at) => Math.round(value + (b[at] - value) * share).toString(16).padStart(2, "0")).join("")}`;
}

/** As a pixel of an ImageData's 32-bit view. */
export function pixel(colour) {
  const [red, green, blue] = components(colour);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Black or white, whichever is read better on a colour. */
export function inkOn(colour) {
  const [red, green, blue] = components(colour);
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? "#10141a" : "#ffffff";
}
