// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recorded spans in typed arrays, and what each thread does at each moment: the pieces.

import { Varints } from "./codec.js";
import { IMPLICIT, TASK, THREAD } from "./kinds.js";

export const NOTHING = 0xffffffff;

// The fields of a class, which holds what is the same of many spans.
export const KIND = 0, STATE = 1, PLACE = 2, FLAGS = 3, DOMAIN = 4, ORIGIN = 5, DETAIL = 6;
export const WORK = 0;

export function buildModel(facts, columns) {
  const counts = new Varints(columns.count);
  const firsts = [0];
  while (!counts.ended) firsts.push(firsts[firsts.length - 1] + counts.next());
  const lanes = firsts.length - 1;
  const size = firsts[lanes];
  const model = {
    facts,
    classes: facts.classes,
    lanes,
    size,
    first: Uint32Array.from(firsts),
    begin: new Float64Array(size),
    end: new Float64Array(size),
    class: new Uint32Array(size),
    times: columns.times.length ? new Uint32Array(size) : null,
    around: new Int32Array(size), // the span that it lies in; -1: none
    task: new Int32Array(size).fill(-1), // index into the arrays of tasks
    length: facts.run.elapsed_ns,
  };
  readSpans(model, columns);
  readTasks(model, columns);
  cutPieces(model);
  readKept(model, columns.kept);
  return model;
}

function readSpans(model, columns) {
  const begins = new Varints(columns.begin);
  const lengths = new Varints(columns.length);
  const classes = new Varints(columns.class);
  const times = new Varints(columns.times);
  const { begin, end, first } = model;
  for (let lane = 0; lane < model.lanes; lane++) {
    let time = 0;
    for (let span = first[lane]; span < first[lane + 1]; span++) {
      time += begins.next();
      begin[span] = time;
      end[span] = time + lengths.next();
      model.class[span] = classes.next();
      if (model.times) model.times[span] = times.next() + 1;
    }
  }
}

function readTasks(model, columns) {
  const creators = new Varints(columns.creator);
  const numbers = new Varints(columns.number);
  const parents = new Varints(columns.parent);
  const isTask = model.classes.map((each) => each[KIND] === TASK || each[KIND] === IMPLICIT);
  let tasks = 0;
  for (let span = 0; span < model.size; span++) if (isTask[model.class[span]]) model.task[span] = tasks++;
  model.creator = new Uint32Array(tasks);
  model.number = new Float64Array(tasks);
  model.parent = new Int32Array(tasks); // spans
  for (let lane = 0; lane < model.lanes; lane++) {
    const before = new Map();
    for (let span = model.first[lane]; span < model.first[lane + 1]; span++) {
      const task = model.task[span];
      if (task < 0) continue;
      const creator = creators.next();
      const number = (before.get(creator) ?? 0) + numbers.signed();
      before.set(creator, number);
      const back = parents.signed();
      model.creator[task] = creator;
      model.number[task] = number;
      model.parent[task] = back ? span - back : -1;
    }
  }
}

/** A piece is the time in which one span is the innermost of its thread; it ends where the next begins. */
function cutPieces(model) {
  const { begin, end, first, around } = model;
  const time = new Float64Array(2 * model.size + 2 * model.lanes);
  const owner = new Uint32Array(time.length);
  const starts = new Uint32Array(model.lanes + 1);
  const stack = [];
  let count = 0;
  let start = 0;
  function put(moment, span) {
    if (count > start && time[count - 1] === moment) owner[count - 1] = span;
    else {
      time[count] = moment;
      owner[count++] = span;
    }
  }
  for (let lane = 0; lane < model.lanes; lane++) {
    starts[lane] = start = count;
    let depth = 0;
    const close = () => {
      const moment = end[stack[--depth]];
      put(moment, depth ? stack[depth - 1] : NOTHING);
    };
    for (let span = first[lane]; span < first[lane + 1]; span++) {
      while (depth && end[stack[depth - 1]] <= begin[span]) close();
      around[span] = depth ? stack[depth - 1] : -1;
      put(begin[span], span);
      stack[depth++] = span;
    }
    while (depth) close();
  }
  starts[model.lanes] = count;
  model.pieces = count;
  model.pieceFirst = starts;
  model.pieceBegin = time.subarray(0, count);
  model.pieceSpan = owner.subarray(0, count);
}

/** The share of each span's own time in which its thread was kept off the processors; null: not counted. */
function readKept(model, column) {
  model.kept = null;
  if (!column.length) return;
  const own = new Float64Array(model.size);
  const { pieceBegin, pieceSpan } = model;
  for (let piece = 0; piece < model.pieces; piece++) if (pieceSpan[piece] !== NOTHING) own[pieceSpan[piece]] += pieceBegin[piece + 1] - pieceBegin[piece];
  const values = new Varints(column);
  model.kept = new Float32Array(model.size);
  for (let span = 0; span < model.size; span++) model.kept[span] = Math.min(1, values.next() / Math.max(1, own[span]));
}

/** The last piece of a lane that begins at a moment or before; one before the first if there is none. */
export function pieceAt(model, lane, moment) {
  let low = model.pieceFirst[lane];
  let high = model.pieceFirst[lane + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (model.pieceBegin[middle] <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function laneOf(model, span) {
  let lane = 0;
  while (model.first[lane + 1] <= span) lane++;
  return lane;
}

/** Code outside of regions, which the initial implicit task stands for as well: that one has no body. */
export function isSequential(kind, place) {
  return kind === THREAD || (kind === IMPLICIT && !place);
}

export function classOf(model, span) {
  return model.classes[model.class[span]];
}

/** The task that a span belongs to: itself, or the one around it; -1: none. */
export function taskAround(model, span) {
  while (span >= 0 && model.task[span] < 0) span = model.around[span];
  return span;
}
