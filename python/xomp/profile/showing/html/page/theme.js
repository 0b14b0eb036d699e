// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Light or dark: as the system says, or as the reader chose. On paper always light.

import { byId } from "./dom.js";

const KEY = "xomp-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = [];
let printing = false;
let chosen = stored();

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a page from a file may have no storage
  }
}

export function dark() {
  return !printing && (chosen ? chosen === "dark" : system.matches);
}

export function onPaper() {
  return printing;
}

export function onTheme(listener) {
  listeners.push(listener);
}

/** Who showed a run that is no longer shown does not listen. */
export function forgetTheme() {
  listeners.length = 0;
}

function apply() {
  document.documentElement.dataset.theme = dark() ? "dark" : "light";
  byId("theme").textContent = dark() ? "☀ Light" : "☾ Dark";
  for (const listener of listeners) listener();
}

export function startTheme() {
  byId("theme").addEventListener("click", () => {
    chosen = dark() ? "light" : "dark";
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // then it holds until the page is closed
    }
    apply();
  });
  system.addEventListener("change", apply);
  for (const [event, value] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
      printing = value;
      apply();
    });
  }
  apply();
}
