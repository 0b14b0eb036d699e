// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timeline: what each thread does over time, with zoom and pan.

import { domainColour, inkOn, pixel, plain } from "./colours.js";
import { choice, el, legend } from "./dom.js";
import { describe } from "./describe.js";
import { count, duration, percent, roundStep, tick } from "./format.js";
import { buildLevels, sharesOf, sharesOfAll } from "./levels.js";
import { MODES, categorize } from "./modes.js";
import { TASK } from "./kinds.js";
import { NOTHING, PLACE, KIND, classOf, laneOf, pieceAt, taskAround } from "./model.js";
import { Nested } from "./nested.js";
import { placeName } from "./places.js";
import { onSelection, select, selection, togglePlace } from "./selection.js";
import { onPaper, onTheme } from "./theme.js";

const HIGHEST = 16000; // pixels of a canvas
const GUTTER = 64; // for the threads' names
const ROW = { least: 4, most: 36, tall: 22, height: 420 };
const OVERVIEW = 54;
const AXIS = 22;
const LEAST_VIEW = 20; // ns
const LABEL = 38; // pixels that a box needs for a text

export class Timeline {
  /** Of several timelines on a page each has a suffix of its own. */
  constructor(model, holder, suffix = "") {
    this.model = model;
    this.suffix = suffix;
    this.from = 0;
    this.to = model.length;
    this.mode = "place";
    this.tall = false;
    this.build(holder);
    this.listen();
    this.recolour();
    onTheme(() => this.drawNow()); // at once: a page to be printed does not wait
    onSelection((before) => {
      if (before.place !== selection.place) this.recolour();
      else {
        this.explain();
        this.drawMarks();
        this.nested.selected();
      }
    });
    new ResizeObserver(() => this.draw()).observe(this.stage);
  }

  build(holder) {
    this.overview = el("canvas", { class: "overview", "aria-label": "All threads over the whole run; drag to choose a part" });
    this.axis = el("canvas", { class: "axis", "aria-hidden": "true" });
    this.main = el("canvas", {
      id: `timeline-canvas${this.suffix}`,
      tabindex: "0",
      role: "application",
      "aria-label": "Timeline of all threads. Arrows move, plus and minus zoom, 0 shows everything, N and P step through the spans of a thread.",
      "aria-describedby": `timeline-detail${this.suffix}`,
    });
    this.marks = el("canvas", { class: "marks", "aria-hidden": "true" });
    this.stage = el("div", { class: "stage" }, this.main, this.marks);
    this.scroller = el("div", { class: "scroller" }, this.stage);
    this.tip = el("div", { class: "tip", role: "tooltip", hidden: true });
    this.detail = el("div", { id: `timeline-detail${this.suffix}`, class: "detail", "aria-live": "polite" });
    this.legend = el("div");
    this.range = el("output", { class: "range" });
    this.nested = new Nested(this, this.suffix);
    const button = (text, label, onclick) => el("button", { type: "button", title: label, "aria-label": label, onclick }, text);
    holder.replaceChildren(
      el("div", { class: "tools" },
        choice("Colour by", MODES, this.mode, (mode) => {
          this.mode = mode;
          this.recolour();
        }),
        el("span", { class: "choice" },
          button("−", "Zoom out", () => this.zoom(2)),
          button("+", "Zoom in", () => this.zoom(0.5)),
          button("All", "Show the whole run", () => this.show(0, this.model.length)),
          (this.rows = button("Tall rows", "Taller rows, to scroll through", () => {
            this.tall = !this.tall;
            this.rows.setAttribute("aria-pressed", String(this.tall));
            this.draw();
          })),
        ),
        this.range,
      ),
      this.overview, this.axis, this.scroller, this.legend, this.detail, ...this.nested.parts,
      el("p", { class: "hint" }, "Drag to pan, Shift and drag to zoom into a part, double-click to zoom in; the wheel zooms with Ctrl, or once the timeline is clicked. ",
        "Keys: ", ...["←", "→", "+", "−", "0"].map((key) => el("kbd", {}, key)), " move and zoom, ",
        ...["↑", "↓", "N", "P"].map((key) => el("kbd", {}, key)), " step from span to span, ", el("kbd", {}, "Enter"), " zooms to it, ", el("kbd", {}, "Esc"), " lets go.",
        new Set(this.model.facts.threads.map((thread) => thread.domain)).size > 1 ? " The edge beside the threads has the colours of their domains." : ""),
      this.tip,
    );
    this.explain();
  }

  /** The span of this timeline that the reader has chosen; -1: none. */
  get chosen() {
    return selection.model === this.model ? selection.span : -1;
  }

  // What is shown

  get rowHeight() {
    const fitting = Math.floor(ROW.height / this.model.lanes);
    const height = Math.min(ROW.most, Math.max(ROW.least, fitting));
    const wanted = this.tall ? Math.max(ROW.tall, height) : height;
    // Browsers show nothing of a canvas that is too high.
    return Math.min(wanted, Math.max(1, Math.floor(HIGHEST / (this.model.lanes * (devicePixelRatio || 1)))));
  }

  recolour() {
    const { categories, category, kept } = categorize(this.model, this.mode);
    this.categories = categories;
    this.category = category;
    this.levels = buildLevels(this.model, category, categories.length, kept);
    this.used = new Set(category).add(kept);
    this.whole = null;
    this.draw();
  }

  show(from, to) {
    const length = Math.min(this.model.length, Math.max(LEAST_VIEW, to - from));
    this.from = Math.max(0, Math.min(this.model.length - length, from));
    this.to = this.from + length;
    this.draw();
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    const length = (this.to - this.from) * factor;
    const share = (around - this.from) / (this.to - this.from);
    this.show(around - share * length, around + (1 - share) * length);
  }

  pan(share) {
    const step = (this.to - this.from) * share;
    this.show(this.from + step, this.to + step);
  }

  x(time) {
    return GUTTER + ((time - this.from) / (this.to - this.from)) * this.width;
  }

  time(x) {
    return this.from + ((x - GUTTER) / this.width) * (this.to - this.from);
  }

  // Drawing

  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.drawNow();
    });
  }

  size(canvas, width, height) {
    const ratio = devicePixelRatio || 1;
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== across || canvas.height !== down) {
      canvas.width = across;
      canvas.height = down;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    return context;
  }

  drawNow() {
    const full = this.scroller.clientWidth;
    if (full < GUTTER + 40 || !this.levels) return;
    this.ratio = devicePixelRatio || 1;
    this.width = full - GUTTER;
    this.height = this.rowHeight * this.model.lanes;
    this.palette = Uint32Array.from(this.categories.map((each) => pixel(each.colour())));
    const context = this.size(this.main, full, this.height);
    this.drawRows(context);
    this.drawNames(context);
    this.drawAxis(full);
    this.drawOverview(full);
    this.drawMarks();
    this.drawLegend();
    this.nested.draw();
    this.range.textContent = `${duration(this.to - this.from)} of ${duration(this.model.length)}`;
  }

  /** The rows that the reader can see. */
  inSight() {
    const { lanes } = this.model;
    if (onPaper()) return [0, lanes];
    const { scrollTop, clientHeight } = this.scroller;
    return [Math.max(0, Math.floor(scrollTop / this.rowHeight)), Math.min(lanes, Math.ceil((scrollTop + clientHeight) / this.rowHeight))];
  }

  drawRows(context) {
    const { ratio, model, levels } = this;
    const across = Math.floor(this.width * ratio);
    const row = Math.round(this.rowHeight * ratio);
    const gap = this.rowHeight >= 6 ? Math.round(ratio) : 0;
    const [first, last] = this.inSight();
    const image = context.createImageData(across, row * Math.max(1, last - first));
    const pixels = new Uint32Array(image.data.buffer);
    const shares = new Float32Array(across * levels.categories);
    for (let lane = first; lane < last; lane++) {
      sharesOf(levels, lane, this.from, this.to, across, shares);
      paint(pixels, across, (lane - first) * row, row - gap, shares, this.palette);
    }
    context.putImageData(image, Math.round(GUTTER * ratio), first * row);
    this.drawBoxes(context);
  }

  /** Near enough the single spans get edges and names. */
  drawBoxes(context) {
    const { model } = this;
    const row = this.rowHeight;
    const pixelTime = (this.to - this.from) / this.width;
    const ground = plain("ground");
    const [from, to] = this.inSight();
    for (let lane = from; lane < to; lane++) {
      const first = Math.max(model.pieceFirst[lane], pieceAt(model, lane, this.from));
      const last = Math.min(model.pieceFirst[lane + 1] - 1, pieceAt(model, lane, this.to) + 1);
      if (last - first > this.width / 2) continue;
      for (let piece = first; piece < last; piece++) {
        const span = model.pieceSpan[piece];
        const width = (model.pieceBegin[piece + 1] - model.pieceBegin[piece]) / pixelTime;
        if (span === NOTHING || width < 3) continue;
        const x = this.x(model.pieceBegin[piece]);
        if (x > GUTTER) {
          context.fillStyle = ground;
          context.fillRect(x, lane * row, width > 8 ? 1 : 0.6, row - 1);
        }
        if (row >= 12 && width >= (this.mode === "domain" ? 10 : LABEL)) this.drawLabel(context, span, lane, x, width);
      }
    }
  }

  drawLabel(context, span, lane, x, width) {
    const category = this.categories[this.category[span]];
    const each = classOf(this.model, span);
    const place = this.model.facts.places[each[PLACE]];
    const text = category.label ?? (this.mode !== "domain" && each[KIND] === TASK ? place.name : "");
    if (!text || category.faded) return;
    const left = Math.max(x, GUTTER);
    const room = Math.min(x + width, GUTTER + this.width) - left;
    const measured = context.measureText(text).width;
    if (measured > room - 6) return;
    context.fillStyle = inkOn(category.colour());
    context.fillText(text, left + Math.max(4, Math.min((room - measured) / 2, 400)), (lane + 0.5) * this.rowHeight);
  }

  drawNames(context) {
    const row = this.rowHeight;
    const every = [1, 2, 4, 8, 16, 32, 64].find((each) => each * row >= 13) ?? 128;
    const { threads } = this.model.facts;
    const domains = new Set(threads.map((thread) => thread.domain));
    context.textAlign = "right";
    threads.forEach((thread, lane) => {
      if (domains.size > 1 && thread.domain >= 0) {
        context.fillStyle = domainColour(thread.domain);
        context.fillRect(GUTTER - 6, lane * row, 3, row);
      }
      if (lane % every) return;
      context.fillStyle = plain("dim");
      context.fillText(row >= 18 ? `thread ${thread.number}` : thread.number, GUTTER - 11, Math.max(6, (lane + 0.5) * row));
    });
    context.textAlign = "left";
  }

  drawAxis(full) {
    const context = this.size(this.axis, full, AXIS);
    const step = roundStep(this.to - this.from, this.width / 110);
    context.fillStyle = plain("dim");
    context.strokeStyle = plain("line");
    context.beginPath();
    for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
      const x = this.x(time);
      context.moveTo(x, AXIS - 5);
      context.lineTo(x, AXIS);
      const text = tick(time, step, this.to);
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(full - 2 * half, Math.max(GUTTER, x - half)), AXIS / 2 - 2);
    }
    context.stroke();
  }

  drawOverview(full) {
    const context = this.size(this.overview, full, OVERVIEW);
    const across = Math.floor(this.width * this.ratio);
    const down = Math.round(OVERVIEW * this.ratio);
    if (this.whole?.across !== across) {
      this.whole = { across, shares: sharesOfAll(this.levels, 0, this.model.length, across) };
    }
    const image = context.createImageData(across, down);
    paint(new Uint32Array(image.data.buffer), across, 0, down, this.whole.shares, this.palette);
    context.putImageData(image, Math.round(GUTTER * this.ratio), 0);
    context.fillStyle = plain("dim");
    context.textAlign = "right";
    context.fillText("all", GUTTER - 11, OVERVIEW / 2);
    context.textAlign = "left";
    const [left, right] = [this.from, this.to].map((time) => GUTTER + (time / this.model.length) * this.width);
    context.fillStyle = `${plain("ground")}b0`;
    context.fillRect(GUTTER, 0, left - GUTTER, OVERVIEW);
    context.fillRect(right, 0, full - right, OVERVIEW);
    context.strokeStyle = plain("accent");
    context.lineWidth = 1.5;
    context.strokeRect(left, 0.75, Math.max(2, right - left - 0.75), OVERVIEW - 1.5);
  }

  drawMarks() {
    if (!this.height) return;
    const context = this.size(this.marks, this.width + GUTTER, this.height);
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, this.width, this.height);
    context.clip();
    for (const span of new Set([this.chosen, this.hovered ?? -1])) if (span >= 0) this.mark(context, span);
    context.restore();
    if (this.dragged) {
      const [left, right] = this.dragged;
      context.fillStyle = `${plain("accent")}38`;
      context.fillRect(left, 0, right - left, this.height);
    }
  }

  /** A span, its parent, and the way from the one to the other. */
  mark(context, span) {
    const { model } = this;
    const lane = laneOf(model, span);
    this.outline(context, span, lane, plain("ink"), 2);
    const task = taskAround(model, span);
    const parent = task >= 0 ? model.parent[model.task[task]] : -1;
    if (parent < 0) return;
    const from = laneOf(model, parent);
    this.outline(context, parent, from, plain("accent"), 1.5);
    const begin = model.begin[task];
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(this.x(Math.min(Math.max(begin, model.begin[parent]), model.end[parent])), (from + 0.5) * this.rowHeight);
    context.lineTo(this.x(begin), (lane + 0.5) * this.rowHeight);
    context.stroke();
    context.setLineDash([]);
  }

  outline(context, span, lane, colour, width) {
    const [left, right] = [this.x(this.model.begin[span]), this.x(this.model.end[span])];
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(Math.max(left, -9), lane * this.rowHeight + width / 2, Math.max(2, Math.min(right, this.width + GUTTER + 9) - Math.max(left, -9)),
      Math.max(2, this.rowHeight - 1 - width));
  }

  drawLegend() {
    const entries = this.categories.filter((each, at) => !each.faded && (this.used.has(at) || selection.place));
    this.legend.replaceChildren(legend(entries.map((each) => ({
      name: each.name,
      colour: each.colour(),
      key: each.place,
      active: each.place === selection.place && selection.place !== 0,
    })), togglePlace));
    if (selection.place) {
      this.legend.firstChild.append(el("li", {}, el("button", { type: "button", onclick: () => select({ place: 0 }) },
        `× only ${placeName(this.model.facts, selection.place)}`)));
    }
  }

  // What is under the pointer

  laneAt(y) {
    const lane = Math.floor(y / this.rowHeight);
    return lane >= 0 && lane < this.model.lanes ? lane : -1;
  }

  /** The longest of the pieces at a pixel. */
  pieceUnder(x, lane) {
    const { model } = this;
    const [from, to] = [this.time(x), this.time(x + 1)];
    const first = Math.max(model.pieceFirst[lane], pieceAt(model, lane, from));
    const last = Math.min(model.pieceFirst[lane + 1] - 1, pieceAt(model, lane, to) + 1);
    let best = -1;
    let most = -1;
    for (let piece = first; piece < Math.min(last, first + 20000); piece++) {
      const length = Math.min(to, model.pieceBegin[piece + 1]) - Math.max(from, model.pieceBegin[piece]);
      if (model.pieceSpan[piece] !== NOTHING && length > most) [best, most] = [piece, length];
    }
    return { piece: best, pieces: last - first };
  }

  hover(event) {
    const { x, y } = this.point(event);
    const lane = this.laneAt(y);
    const { piece, pieces } = lane >= 0 && x >= GUTTER ? this.pieceUnder(x, lane) : { piece: -1, pieces: 0 };
    const span = piece < 0 ? -1 : this.model.pieceSpan[piece];
    if (span !== this.hovered) {
      this.hovered = span;
      this.drawMarks();
    }
    if (span < 0) return this.leave();
    this.showTip(event, pieces > 3 ? [this.mixture(x, lane, pieces)] : [], describe(this.model, span, null, piece));
  }

  /** What is known of what is pointed at, beside the pointer. */
  showTip(event, ...parts) {
    this.tip.replaceChildren(...parts.flat());
    this.tip.hidden = false;
    const { width, height } = this.tip.getBoundingClientRect();
    const below = event.clientY + 18 + height < innerHeight;
    this.tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
    this.tip.style.top = `${below ? event.clientY + 18 : Math.max(4, event.clientY - height - 12)}px`;
  }

  mixture(x, lane, pieces) {
    const shares = new Float32Array(this.levels.categories);
    sharesOf(this.levels, lane, this.time(x), this.time(x + 1), 1, shares);
    const parts = [...shares].map((share, at) => [share, this.categories[at].name]).filter(([share]) => share > 0.01).sort((a, b) => b[0] - a[0]);
    const text = parts.slice(0, 3).map(([share, name]) => `${percent(share)} ${name}`).join(", ");
    return el("p", { class: "mixture" }, `${count(pieces)} pieces in this pixel: ${text}. The longest:`);
  }

  leave() {
    this.tip.hidden = true;
    if ((this.hovered ?? -1) >= 0) {
      this.hovered = -1;
      this.drawMarks();
    }
  }

  point(event) {
    const box = this.main.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  choose(span, piece = pieceAt(this.model, span < 0 ? 0 : laneOf(this.model, span), this.model.begin[span] ?? 0)) {
    this.cursor = piece;
    select({ span, model: this.model });
  }

  explain() {
    const span = this.chosen;
    this.detail.replaceChildren(span < 0
      ? el("p", { class: "hint" }, "Point at a span to see what it is; click to keep it here.")
      : describe(this.model, span, (other) => {
        this.choose(other);
        this.bring(other);
      }));
  }

  /** Moves a span, or one piece of it, into sight. */
  bring(span, piece = null) {
    const { model } = this;
    const begin = piece == null ? model.begin[span] : model.pieceBegin[piece];
    const end = piece == null ? model.end[span] : model.pieceBegin[piece + 1];
    const length = this.to - this.from;
    if (end <= this.from || begin >= this.to || end - begin < length / 400) {
      const wanted = Math.min(length, Math.max((end - begin) * 20, LEAST_VIEW));
      this.show((begin + end - wanted) / 2, (begin + end + wanted) / 2);
    }
    const top = laneOf(model, span) * this.rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop || top + this.rowHeight > scrollTop + clientHeight) this.scroller.scrollTop = top - clientHeight / 2;
    this.drawMarks();
  }

  // Pointer, wheel and keys

  listen() {
    this.scroller.addEventListener("scroll", () => this.draw());
    this.main.addEventListener("pointerdown", (event) => this.press(event));
    this.main.addEventListener("pointermove", (event) => (this.pressed ? this.move(event) : this.hover(event)));
    this.main.addEventListener("pointerup", (event) => this.release(event));
    this.main.addEventListener("pointercancel", () => (this.pressed = this.dragged = null));
    this.main.addEventListener("pointerleave", () => this.leave());
    this.main.addEventListener("dblclick", (event) => this.zoom(0.25, this.time(this.point(event).x)));
    this.main.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.main.addEventListener("keydown", (event) => this.key(event));
    this.overview.addEventListener("pointerdown", (event) => {
      this.overview.setPointerCapture(event.pointerId);
      this.grip = this.wholeTime(event);
      const inside = this.grip >= this.from && this.grip <= this.to && this.to - this.from < this.model.length;
      this.held = inside ? [this.from - this.grip, this.to - this.grip] : null;
    });
    this.overview.addEventListener("pointermove", (event) => {
      if (this.grip == null) return;
      const now = this.wholeTime(event);
      if (this.held) this.show(now + this.held[0], now + this.held[1]);
      else if (Math.abs(now - this.grip) > this.model.length / this.width) this.show(Math.min(now, this.grip), Math.max(now, this.grip));
    });
    this.overview.addEventListener("pointerup", () => (this.grip = null));
  }

  wholeTime(event) {
    const box = this.overview.getBoundingClientRect();
    const share = (event.clientX - box.left - GUTTER) / this.width;
    return Math.min(1, Math.max(0, share)) * this.model.length;
  }

  press(event) {
    if (event.button) return;
    this.main.setPointerCapture(event.pointerId);
    const { x, y } = this.point(event);
    this.pressed = { x, y, from: this.from, to: this.to, moved: false, part: event.shiftKey };
    this.leave();
  }

  move(event) {
    const { x } = this.point(event);
    const start = this.pressed;
    if (Math.abs(x - start.x) > 3) start.moved = true;
    if (!start.moved) return;
    if (start.part) {
      this.dragged = [Math.max(GUTTER, Math.min(x, start.x)), Math.max(x, start.x)];
      this.drawMarks();
      return;
    }
    const step = ((start.x - x) / this.width) * (start.to - start.from);
    this.show(start.from + step, start.to + step);
  }

  release(event) {
    const start = this.pressed;
    this.pressed = null;
    if (!start) return;
    if (this.dragged) {
      const [left, right] = this.dragged.map((x) => this.time(x));
      this.dragged = null;
      this.show(left, right);
    } else if (!start.moved) {
      const { x, y } = this.point(event);
      const lane = this.laneAt(y);
      const { piece } = lane >= 0 && x >= GUTTER ? this.pieceUnder(x, lane) : { piece: -1 };
      if (piece < 0) this.choose(-1);
      else this.choose(this.model.pieceSpan[piece], piece);
    }
  }

  wheel(event) {
    const across = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (across || event.shiftKey) {
      event.preventDefault();
      this.pan((across ? event.deltaX : event.deltaY) / this.width);
    } else if (event.ctrlKey || event.metaKey || [this.main, this.nested.canvas].includes(document.activeElement)) {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
      const amount = Math.max(-120, Math.min(120, event.deltaY * lines));
      this.zoom(1.0035 ** amount, this.time(Math.max(GUTTER, this.point(event).x)));
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 0.8 : 0.15;
    const action = {
      ArrowLeft: () => this.pan(-step),
      ArrowRight: () => this.pan(step),
      "+": () => this.zoom(0.6),
      "=": () => this.zoom(0.6),
      "-": () => this.zoom(1 / 0.6),
      0: () => this.show(0, this.model.length),
      Home: () => this.show(0, this.to - this.from),
      End: () => this.show(this.model.length - (this.to - this.from), this.model.length),
      ArrowUp: () => this.step(0, -1),
      ArrowDown: () => this.step(0, 1),
      n: () => this.step(1, 0),
      p: () => this.step(-1, 0),
      Enter: () => this.enter(),
      Escape: () => (this.chosen >= 0 ? this.choose(-1) : select({ place: 0 })),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** To the next piece of the thread, or to the same time on the next thread. */
  step(along, across) {
    const { model } = this;
    const fresh = this.chosen < 0 || this.cursor == null;
    const lane = Math.max(0, Math.min(model.lanes - 1, fresh ? 0 : laneOf(model, model.pieceSpan[this.cursor]) + across));
    const [first, end] = [model.pieceFirst[lane], model.pieceFirst[lane + 1] - 1];
    if (end <= first) return;
    let piece = fresh || across ? pieceAt(model, lane, fresh ? this.from : model.pieceBegin[this.cursor]) : this.cursor + along;
    piece = Math.max(first, Math.min(end - 1, piece));
    while (model.pieceSpan[piece] === NOTHING && piece + 1 < end) piece++;
    if (model.pieceSpan[piece] === NOTHING) return;
    this.choose(model.pieceSpan[piece], piece);
    this.bring(this.chosen, piece);
  }

  enter() {
    if (this.chosen < 0) return;
    const [begin, end] = [this.model.begin[this.chosen], this.model.end[this.chosen]];
    const margin = Math.max(LEAST_VIEW, end - begin) * 0.15;
    this.show(begin - margin, end + margin);
  }
}

/** Columns of a row: the categories one above the other, the first lowest. */
function paint(pixels, across, top, height, shares, palette) {
  const categories = palette.length;
  for (let x = 0; x < across; x++) {
    let sum = 0;
    let row = height; // the next pixel is above this one
    for (let each = 0; each < categories && row > 0; each++) {
      const share = shares[x * categories + each];
      if (share === 0) continue;
      sum += share;
      const until = sum > 0.999 ? 0 : Math.round(height * (1 - sum));
      for (; row > until; row--) pixels[(top + row - 1) * across + x] = palette[each];
    }
  }
}
