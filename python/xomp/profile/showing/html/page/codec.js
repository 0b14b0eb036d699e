// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page's columns of numbers: base64 of deflated varints.

import { inflate } from "./inflate.js";

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

async function opened(bytes, size) {
  if (typeof DecompressionStream === "undefined") return inflate(bytes, size);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** `table` has for each column its first byte and its length. */
export async function unpack(text, table) {
  const size = Math.max(0, ...Object.values(table).map(([at, length]) => at + length));
  const bytes = await opened(fromBase64(text.trim()), size);
  if (bytes.length !== size) throw new Error("the data in this page is damaged");
  return Object.fromEntries(Object.entries(table).map(([name, [at, length]]) => [name, bytes.subarray(at, at + length)]));
}

/** Reads one number after the other. */
export class Varints {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get ended() {
    return this.at >= this.bytes.length;
  }

  next() {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let factor = 128;
    do {
      byte = bytes[this.at++];
      value += (byte & 127) * factor; // may need more than 32 bits
      factor *= 128;
    } while (byte >= 128);
    return value;
  }

  /** Of both signs, as 0, -1, 1, -2, ... */
  signed() {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}
