// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables that sort by any column and are filtered by words.

import { el } from "./dom.js";
import { count, duration, percent } from "./format.js";
import { SUMMARY, TASK } from "./kinds.js";
import { constructName, placeButton, placeName } from "./places.js";
import { onSelection, selection } from "./selection.js";

const MOST = 40; // rows at once

class Table {
  /** Columns: { name, value(row), show(row), text: whether it sorts as words, hint }. */
  constructor(holder, rows, columns, sorted, isChosen = () => false) {
    Object.assign(this, { rows, columns, isChosen, sorted, down: true, all: false, words: "" });
    this.body = el("tbody");
    this.more = el("p", { class: "hint" });
    this.heads = columns.map((column, at) => el("th", { scope: "col", title: column.hint, class: column.text ? "" : "number" },
      el("button", { type: "button", onclick: () => this.sort(at) }, column.name)));
    const filter = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the rows", oninput: () => {
      this.words = filter.value.toLowerCase();
      this.draw();
    } });
    holder.replaceChildren(
      el("div", { class: "tools" }, filter),
      el("div", { class: "scroll-across" }, el("table", { class: "sortable" }, el("thead", {}, el("tr", {}, this.heads)), this.body)),
      this.more,
    );
    this.draw();
  }

  sort(at) {
    this.down = at === this.sorted ? !this.down : !this.columns[at].text;
    this.sorted = at;
    this.draw();
  }

  draw() {
    const column = this.columns[this.sorted];
    const words = this.words.split(/\s+/).filter(Boolean);
    const matching = this.rows.filter((row) => {
      const text = this.columns.filter((each) => each.text).map((each) => each.value(row)).join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const compare = column.text
      ? (a, b) => column.value(a).localeCompare(column.value(b), undefined, { numeric: true })
      : (a, b) => column.value(a) - column.value(b);
    matching.sort((a, b) => (this.down ? -compare(a, b) : compare(a, b)));
    this.heads.forEach((head, at) => head.setAttribute("aria-sort", at !== this.sorted ? "none" : this.down ? "descending" : "ascending"));
    const shown = this.all ? matching : matching.slice(0, MOST);
    this.body.replaceChildren(...shown.map((row) => el("tr", { class: this.isChosen(row) ? "chosen" : "" },
      this.columns.map((each) => el("td", { class: each.text ? "" : "number", "data-name": each.name }, each.show(row))))));
    const left = matching.length - shown.length;
    this.more.replaceChildren(left > 0
      ? el("button", { type: "button", onclick: () => {
        this.all = true;
        this.draw();
      } }, `Show ${count(left)} more rows`)
      : matching.length ? "" : "No row matches.");
  }
}

const shown = (value, text) => (value ? text(value) : ""); // an empty cell is easier to pass over than a zero
const number = (name, key, hint) => ({ name, hint, value: (row) => row[key], show: (row) => shown(row[key], count) });
const time = (name, key, hint) => ({ name, hint, value: (row) => row[key], show: (row) => shown(row[key], duration) });
const share = (name, part, of, hint) => ({
  name,
  hint,
  value: (row) => (row[of] ? row[part] / row[of] : 0),
  show: (row) => (row[of] && row[part] ? percent(row[part] / row[of]) : ""),
});

export function showTables(facts, { places, threads, mutexes }) {
  const isTask = (row) => row.kind === TASK || row.kind === SUMMARY;
  const mean = (row) => (isTask(row) ? row.size_ns : row.total_ns) / row.count;
  const isChosen = (row) => row.place > 0 && row.place === selection.place;
  const tables = [];
  tables.push(new Table(places, facts.constructs, [
    { name: "Place", text: true, value: (row) => (row.place ? placeName(facts, row.place) : ""), show: (row) => (row.place ? placeButton(facts, row.place) : "") },
    { name: "Construct", text: true, value: (row) => constructName(row.kind, row.place), show: (row) => constructName(row.kind, row.place) },
    number("Times", "times", "of what all threads of a region come to, how often the thread that came most often did"),
    time("Work", "work_ns", "the program's own code, without that of constructs and tasks within it"),
    time("Itself", "self_ns", "while it is the innermost span of its thread"),
    time("In all", "total_ns", "from begin to end, with what lies within it"),
    { name: "Mean", hint: "of tasks the own code, with time in which the thread was kept off; of other constructs from begin to end", value: mean, show: (row) => duration(mean(row)) },
    time("Longest", "longest_ns"),
    ...(facts.sizes.length ? [
      share("Moved", "moved", "count", "run by another thread than their creator's"),
      share("Remote", "remote", "count", "run in another domain than their creator's"),
    ] : []),
  ], 3, isChosen));
  tables.push(new Table(threads, facts.threads.map((thread) => ({ ...thread, ...states(facts, thread) })), [
    { name: "Thread", value: (row) => row.number, show: (row) => String(row.number) },
    { name: "Domain", value: (row) => row.domain, show: (row) => (row.domain < 0 ? "–" : String(row.domain)) },
    time("Work", "work"), time("Overhead", "overhead"), time("Idle", "idle"),
    ...(facts.split.kept_off == null ? [] : [time("Kept off", "kept_off", "the processors, while it had something to do")]),
    ...(facts.sizes.length ? [number("Executed", "executed"), number("Created", "created"),
    number("Self", "self", "executed and created by it"), number("Local", "local", "created by others of its domain"),
    number("Remote", "remote", "created in other domains"),
    number("Moved here", "taken", "tasks executed by it that another worker was given"), number("Failed steals", "failed"),
    number("Requests", "requests", "for tasks of others (na-rp, na-ws)"), number("Handled", "handled", "requests of others that it answered")] : []),
  ], 0));
  tables[1].sort(0);
  if (facts.mutexes.length) {
    tables.push(new Table(mutexes, facts.mutexes, [
      { name: "Lock", text: true, value: (row) => row.name, show: (row) => row.name },
      { name: "Place", text: true, value: (row) => placeName(facts, row.place), show: (row) => placeButton(facts, row.place) },
      number("Times", "count"), share("Contended", "contended", "count", "another thread held it"), time("Waited", "wait_ns", "by all threads together"), time("Longest wait", "longest_ns"), time("Held", "held_ns"),
    ], 4, isChosen));
  }
  onSelection((before) => before.place !== selection.place && tables.forEach((table) => table.draw()));
}

function states(facts, thread) {
  const sum = { work: 0, overhead: 0, idle: 0, kept_off: 0 };
  facts.states.forEach((name, at) => {
    sum[name in sum ? name : name in facts.split.idle ? "idle" : "overhead"] += thread.states[at];
  });
  return sum;
}
