// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the time of each pixel is shared out among categories, at any zoom.
//
// Far out, by sums of ever wider cells, made once for each way to colour; near, from the pieces themselves.

import { NOTHING, pieceAt } from "./model.js";

const ROOM = 16e6; // bytes of the finest level
const FINEST = 1 << 18; // cells of a lane
const COARSEST = 256;
const FULL = 255; // a cell's share of 1

/** `kept` is the category of the time in which threads were kept off; -1: it was not counted. */
export function buildLevels(model, category, categories, kept) {
  const wanted = ROOM / Math.max(1, model.lanes * categories);
  const cells = Math.min(FINEST, Math.max(COARSEST, 2 ** Math.floor(Math.log2(wanted))));
  const levels = { model, category, categories, kept, cells, width: model.length / cells, shares: [] };
  levels.shares.push(finest(levels));
  for (let count = cells; count > COARSEST; count /= 2) levels.shares.push(halved(levels, count));
  return levels;
}

function finest({ model, category, categories, kept, cells, width }) {
  const shares = new Uint8Array(model.lanes * cells * categories);
  const { pieceBegin, pieceSpan, pieceFirst } = model;
  const sums = new Float64Array(categories);
  for (let lane = 0; lane < model.lanes; lane++) {
    const base = lane * cells * categories;
    let cell = 0;
    let edge = width; // where the cell ends
    const flush = () => {
      for (let each = 0, at = base + cell * categories; each < categories; each++, at++) {
        shares[at] = Math.min(FULL, Math.round((sums[each] / width) * FULL));
        sums[each] = 0;
      }
      cell++;
      edge = (cell + 1) * width;
    };
    const last = pieceFirst[lane + 1] - 1;
    for (let piece = pieceFirst[lane]; piece < last; piece++) {
      let from = pieceBegin[piece];
      const to = pieceBegin[piece + 1];
      const span = pieceSpan[piece];
      while (from >= edge && cell < cells - 1) flush();
      const chosen = span === NOTHING ? -1 : category[span];
      const lost = span !== NOTHING && kept >= 0 ? model.kept[span] : 0;
      const add = (length) => {
        if (chosen < 0) return;
        sums[chosen] += length * (1 - lost);
        if (lost) sums[kept] += length * lost;
      };
      while (to > edge && cell < cells - 1) {
        add(edge - from);
        from = edge;
        flush();
      }
      add(to - from);
    }
    flush();
  }
  return shares;
}

function halved({ model, categories, shares }, count) {
  const fine = shares[shares.length - 1];
  const coarse = new Uint8Array(fine.length / 2);
  const half = count / 2;
  for (let cell = 0; cell < model.lanes * half; cell++) {
    const from = cell * 2 * categories;
    for (let each = 0; each < categories; each++) {
      coarse[cell * categories + each] = (fine[from + each] + fine[from + categories + each] + 1) >> 1;
    }
  }
  return coarse;
}

/** Fills `out` with the shares of `pixels` pixels of a lane between two moments. */
export function sharesOf(levels, lane, from, to, pixels, out) {
  out.fill(0, 0, pixels * levels.categories);
  const pixel = (to - from) / pixels;
  if (pixel >= levels.width) fromCells(levels, lane, from, pixel, pixels, out);
  else fromPieces(levels, lane, from, pixel, pixels, out);
}

function fromCells(levels, lane, from, pixel, pixels, out) {
  const level = Math.min(levels.shares.length - 1, Math.floor(Math.log2(pixel / levels.width)));
  const cells = levels.cells >> level;
  const width = levels.width * 2 ** level;
  const shares = levels.shares[level];
  const { categories } = levels;
  for (let x = 0; x < pixels; x++) {
    const first = Math.floor((from + x * pixel) / width);
    const last = Math.max(first, Math.ceil((from + (x + 1) * pixel) / width) - 1);
    const weight = 1 / (FULL * (last - first + 1));
    for (let cell = Math.max(0, first); cell <= Math.min(cells - 1, last); cell++) {
      const at = (lane * cells + cell) * categories;
      for (let each = 0; each < categories; each++) out[x * categories + each] += shares[at + each] * weight;
    }
  }
}

function fromPieces({ model, category, categories, kept }, lane, from, pixel, pixels, out) {
  const { pieceBegin, pieceSpan } = model;
  const last = model.pieceFirst[lane + 1] - 1;
  const to = from + pixels * pixel;
  for (let piece = Math.max(model.pieceFirst[lane], pieceAt(model, lane, from)); piece < last && pieceBegin[piece] < to; piece++) {
    if (pieceSpan[piece] === NOTHING) continue;
    const chosen = category[pieceSpan[piece]];
    const lost = kept >= 0 ? model.kept[pieceSpan[piece]] : 0;
    const add = (x, share) => {
      out[x * categories + chosen] += share * (1 - lost);
      if (lost) out[x * categories + kept] += share * lost;
    };
    const start = Math.max(0, (pieceBegin[piece] - from) / pixel);
    const end = Math.min(pixels, (pieceBegin[piece + 1] - from) / pixel);
    const firstPixel = Math.floor(start);
    const lastPixel = Math.min(pixels - 1, Math.floor(end));
    if (firstPixel >= lastPixel) {
      if (firstPixel < pixels) add(firstPixel, end - start);
      continue;
    }
    add(firstPixel, firstPixel + 1 - start);
    for (let x = firstPixel + 1; x < lastPixel; x++) add(x, 1);
    add(lastPixel, end - lastPixel);
  }
}

/** The shares of all lanes together. */
export function sharesOfAll(levels, from, to, pixels) {
  const { categories, model } = levels;
  const sum = new Float32Array(pixels * categories);
  const one = new Float32Array(pixels * categories);
  for (let lane = 0; lane < model.lanes; lane++) {
    sharesOf(levels, lane, from, to, pixels, one);
    for (let at = 0; at < sum.length; at++) sum[at] += one[at] / model.lanes;
  }
  return sum;
}
