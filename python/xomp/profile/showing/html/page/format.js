// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as people read them.

const UNITS = [[1e9 * 3600, "h"], [1e9 * 60, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

function significant(value, digits = 3) {
  if (value === 0) return "0";
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(places, 6));
}

/** 12.3 ms */
export function duration(ns) {
  if (ns == null || Number.isNaN(ns)) return "–";
  if (ns < 0) return `−${duration(-ns)}`;
  // 999.9 µs would be written as 1000 µs.
  const [size, unit] = UNITS.find(([each]) => ns >= each * 0.9995) ?? UNITS[UNITS.length - 1];
  return `${significant(ns / size)} ${unit}`;
}

/** 1,234,567 */
export function count(value) {
  return value == null ? "–" : Math.round(value).toLocaleString("en-US");
}

/** 1.2M */
export function short(value) {
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (value >= size * 0.9995) return significant(value / size, 2).replace(/\.0$/, "") + letter;
  }
  return String(Math.round(value));
}

export function percent(share) {
  if (share == null || !Number.isFinite(share)) return "–";
  const value = share * 100;
  if (value > 0 && value < 0.1) return "<0.1\u202f%";
  const nearlyAll = value >= 99.5 && value < 100 - 1e-7; // its rest may stand beside it
  if (nearlyAll && value >= 99.9) return ">99.9\u202f%";
  return `${Math.abs(value) < 10 || nearlyAll ? value.toFixed(1) : value.toFixed(0)}\u202f%`.replace("-", "−");
}

/** A long name without its middle: what tells functions apart is at its end, whose they are at its begin. */
export function middle(name, most = 44) {
  if (name.length <= most) return name;
  const end = Math.ceil((most - 1) / 2);
  return `${name.slice(0, most - 1 - end)}…${name.slice(-end)}`;
}

/** How many digits a tick of an axis needs, and its text. */
export function tick(ns, step, most) {
  const [size, unit] = UNITS.find(([each]) => most >= each) ?? UNITS[UNITS.length - 1];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${(ns / size).toFixed(Math.min(digits, 9))} ${unit}`;
}

/** A round distance of ticks, so that about so many fit. */
export function roundStep(length, wanted) {
  const raw = length / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10);
}
