// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of the page, made from data. Text always goes in as text.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child != null && child !== false));
  return node;
}

export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}

/** A row of buttons of which one is chosen. */
export function choice(label, options, chosen, onchange) {
  const buttons = options.map(([value, text, hint]) =>
    el("button", { type: "button", "aria-pressed": String(value === chosen), title: hint, onclick: () => choose(value) }, text),
  );
  function choose(value) {
    options.forEach(([each], at) => buttons[at].setAttribute("aria-pressed", String(each === value)));
    onchange(value);
  }
  const group = el("div", { class: "choice", role: "group", "aria-label": label }, el("span", { class: "choice-name" }, label), buttons);
  return Object.assign(group, { choose });
}

/** Colours and what they mean. */
export function legend(entries, onclick) {
  return el("ul", { class: "legend" }, entries.map(({ name, colour, value, active, key }) => {
    const content = [el("i", { style: `background:${colour}` }), name, value != null && el("b", {}, value)].filter(Boolean);
    const clickable = onclick && key != null;
    return el("li", {}, clickable
      ? el("button", { type: "button", "aria-pressed": String(!!active), onclick: () => onclick(key) }, content)
      : el("span", {}, content));
  }));
}
