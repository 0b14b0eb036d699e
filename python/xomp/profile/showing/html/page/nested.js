// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread's spans in each other, over the same time as the timeline: tasks in waits in tasks in regions, the
// outer ones on top. (A flame view in time, as Tracy and Perfetto have it.)

import { inkOn, plain } from "./colours.js";
import { describe } from "./describe.js";
import { el } from "./dom.js";
import { TASK } from "./kinds.js";
import { PLACE, KIND, NOTHING, classOf, laneOf, pieceAt } from "./model.js";
import { constructName, placeName } from "./places.js";
import { selection } from "./selection.js";

const ROW = 17;
const LABEL = 30; // pixels that a box needs for a text
const HIGHEST = 16000; // pixels of a canvas

export class Nested {
  /** `timeline` says which time is shown, in which colours. */
  constructor(timeline, suffix) {
    this.timeline = timeline;
    this.model = timeline.model;
    this.canvas = el("canvas", { id: `nested-canvas${suffix}`, tabindex: "0", role: "application",
      "aria-label": "The spans of one thread in each other. Arrows move, plus and minus zoom, 0 shows everything." });
    const { threads } = this.model.facts;
    this.choice = el("select", { "aria-label": "The thread whose spans are shown in each other", onchange: () => this.look(Number(this.choice.value)) },
      threads.slice(0, this.model.lanes).map(({ number }, lane) => el("option", { value: lane }, `thread ${number}`)));
    this.scroller = el("div", { class: "scroller nested" }, this.canvas);
    this.parts = [
      el("div", { class: "tools nested-head" }, el("h3", {}, "Spans in each other"), el("label", { class: "choice" }, el("span", { class: "choice-name" }, "Of"), this.choice)),
      this.scroller,
    ];
    this.hovered = -1;
    this.take(0);
    this.listen();
  }

  take(lane) {
    const { first, around } = this.model;
    this.lane = lane;
    this.depth = new Uint32Array(first[lane + 1] - first[lane]);
    this.deepest = 0;
    for (let span = first[lane]; span < first[lane + 1]; span++) {
      const depth = around[span] < 0 ? 0 : this.depth[around[span] - first[lane]] + 1;
      this.depth[span - first[lane]] = depth;
      this.deepest = Math.max(this.deepest, depth);
    }
    this.choice.value = String(lane);
  }

  look(lane) {
    this.take(lane);
    this.timeline.draw();
  }

  depthOf(span) {
    return this.depth[span - this.model.first[this.lane]];
  }

  /** The thread of a span that was chosen, scrolled to where it is. */
  follow(span) {
    const lane = laneOf(this.model, span);
    if (lane !== this.lane) this.take(lane);
    const top = this.depthOf(span) * ROW;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop || top + ROW > scrollTop + clientHeight) this.scroller.scrollTop = top - clientHeight / 2;
    this.draw();
  }

  /** All spans of the thread that some of the shown time belongs to; outer ones before those in them. */
  * inSight() {
    const { model, lane } = this;
    const { from, to } = this.timeline;
    const [low, high] = [model.first[lane], model.first[lane + 1]];
    const around = [];
    const piece = pieceAt(model, lane, from);
    for (let span = piece >= model.pieceFirst[lane] ? model.pieceSpan[piece] : NOTHING; span !== NOTHING && span >= 0; span = model.around[span]) around.push(span);
    yield* around.reverse();
    let [left, right] = [low, high];
    while (left < right) {
      const middle = (left + right) >>> 1;
      if (model.begin[middle] <= from) left = middle + 1;
      else right = middle;
    }
    for (let span = left; span < high && model.begin[span] < to; span++) yield span;
  }

  draw() {
    const { timeline, model } = this;
    const full = this.scroller.clientWidth;
    const left = full - timeline.width;
    if (!timeline.width || left < 0) return;
    const height = Math.min(HIGHEST / (devicePixelRatio || 1), (this.deepest + 1) * ROW);
    const context = timeline.size(this.canvas, full, height);
    context.fillStyle = plain("dim");
    context.textAlign = "right";
    context.fillText(`thread ${model.facts.threads[this.lane].number}`, left - 11, ROW / 2);
    context.textAlign = "left";
    context.save();
    context.beginPath();
    context.rect(left, 0, timeline.width, height);
    context.clip();
    const drawn = new Float64Array(this.deepest + 1).fill(left - 1); // up to where each row is
    const colours = timeline.categories.map((each) => each.colour());
    for (const span of this.inSight()) {
      const depth = this.depthOf(span);
      const [from, to] = [Math.max(left, timeline.x(model.begin[span])), Math.min(full, timeline.x(model.end[span]))];
      if (to < drawn[depth] + 0.5) continue; // of many in a pixel the first stands for all
      const category = timeline.categories[timeline.category[span]];
      context.fillStyle = colours[timeline.category[span]];
      context.fillRect(from, depth * ROW, Math.max(1, to - from - (to - from > 4 ? 1 : 0)), ROW - 1);
      drawn[depth] = Math.max(to, from + 1);
      if (to - from >= LABEL && !category.faded) this.label(context, span, depth, from, to, colours[timeline.category[span]]);
    }
    for (const span of new Set([timeline.chosen, this.hovered])) if (span >= 0 && laneOf(model, span) === this.lane) this.outline(context, span);
    context.restore();
  }

  label(context, span, depth, from, to, colour) {
    const each = classOf(this.model, span);
    const { facts } = this.model;
    const construct = constructName(each[KIND], each[PLACE]);
    const named = each[PLACE] ? placeName(facts, each[PLACE]) : "";
    const texts = each[KIND] === TASK ? [named, facts.places[each[PLACE]].name] : [`${construct} ${named}`.trim(), construct];
    const text = texts.find((words) => words && context.measureText(words).width <= to - from - 6);
    if (!text) return;
    context.fillStyle = inkOn(colour);
    context.fillText(text, from + 4, (depth + 0.5) * ROW);
  }

  outline(context, span) {
    const { timeline, model } = this;
    const [from, to] = [timeline.x(model.begin[span]), timeline.x(model.end[span])];
    context.strokeStyle = plain("ink");
    context.lineWidth = 2;
    context.strokeRect(from, this.depthOf(span) * ROW + 1, Math.max(2, to - from), ROW - 3);
  }

  /** The deepest span at a point of the canvas that lies in the row pointed at; -1: none. */
  spanAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const wanted = Math.floor((event.clientY - box.top) / ROW);
    const moment = this.timeline.time(event.clientX - box.left);
    const piece = pieceAt(this.model, this.lane, moment);
    if (piece < this.model.pieceFirst[this.lane] || this.model.pieceSpan[piece] === NOTHING) return -1;
    let span = this.model.pieceSpan[piece];
    while (span >= 0 && this.depthOf(span) > wanted) span = this.model.around[span];
    return span >= 0 && this.depthOf(span) === wanted ? span : -1;
  }

  listen() {
    const { canvas, timeline } = this;
    let pressed = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      canvas.setPointerCapture(event.pointerId);
      pressed = { x: event.clientX, from: timeline.from, to: timeline.to, moved: false };
      timeline.leave();
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!pressed) {
        const span = this.spanAt(event);
        if (span !== this.hovered) {
          this.hovered = span;
          this.draw();
        }
        if (span < 0) timeline.leave();
        else timeline.showTip(event, describe(this.model, span));
        return;
      }
      const way = pressed.x - event.clientX;
      pressed.moved ||= Math.abs(way) > 3;
      const step = (way / timeline.width) * (pressed.to - pressed.from);
      if (pressed.moved) timeline.show(pressed.from + step, pressed.to + step);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (pressed && !pressed.moved) timeline.choose(this.spanAt(event));
      pressed = null;
    });
    canvas.addEventListener("pointercancel", () => (pressed = null));
    canvas.addEventListener("pointerleave", () => {
      this.hovered = -1;
      timeline.leave();
      this.draw();
    });
    canvas.addEventListener("dblclick", (event) => {
      const span = this.spanAt(event);
      if (span < 0) return;
      timeline.choose(span);
      timeline.enter();
    });
    canvas.addEventListener("wheel", (event) => timeline.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => timeline.key(event));
  }

  /** A span was chosen somewhere on the page. */
  selected() {
    if (selection.model === this.model && selection.span >= 0) this.follow(selection.span);
    else this.draw();
  }
}
