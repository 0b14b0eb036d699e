// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens deflated data (RFC 1950, 1951) in browsers that have no DecompressionStream.

const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST = 15;

/** A table from the next bits, as they come, to symbol and length of its code. */
function tableOf(lengths) {
  const counts = new Uint16Array(LONGEST + 1);
  for (const length of lengths) if (length) counts[length]++;
  const next = new Uint16Array(LONGEST + 2);
  for (let length = 1; length <= LONGEST; length++) next[length + 1] = (next[length] + counts[length]) << 1;
  const table = new Uint16Array(1 << LONGEST);
  lengths.forEach((length, symbol) => {
    if (!length) return;
    let code = next[length]++;
    let reversed = 0;
    for (let bit = 0; bit < length; bit++, code >>= 1) reversed = (reversed << 1) | (code & 1);
    for (let at = reversed; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
  });
  return table;
}

export function inflate(input, size) {
  const output = new Uint8Array(size);
  let at = 2; // behind zlib's header
  let to = 0;
  let held = 0;
  let bits = 0;

  function refill(wanted) {
    while (bits < wanted) {
      held |= (input[at++] ?? 0) << bits;
      bits += 8;
    }
  }
  function take(wanted) {
    refill(wanted);
    const value = held & ((1 << wanted) - 1);
    held >>>= wanted;
    bits -= wanted;
    return value;
  }
  function symbol(table) {
    refill(LONGEST);
    const entry = table[held & ((1 << LONGEST) - 1)];
    held >>>= entry & 15;
    bits -= entry & 15;
    return entry >> 4;
  }
  function stored() {
    at -= bits >> 3;
    held = bits = 0;
    const length = input[at] | (input[at + 1] << 8);
    at += 4;
    output.set(input.subarray(at, at + length), to);
    at += length;
    to += length;
  }
  function described() {
    const literals = take(5) + 257;
    const distances = take(5) + 1;
    const codes = new Array(19).fill(0);
    for (let each = take(4) + 4, index = 0; index < each; index++) codes[CODE_ORDER[index]] = take(3);
    const table = tableOf(codes);
    const lengths = [];
    while (lengths.length < literals + distances) {
      const code = symbol(table);
      if (code < 16) lengths.push(code);
      else {
        const value = code === 16 ? lengths[lengths.length - 1] : 0;
        const times = code === 16 ? take(2) + 3 : code === 17 ? take(3) + 3 : take(7) + 11;
        for (let each = 0; each < times; each++) lengths.push(value);
      }
    }
    return [tableOf(lengths.slice(0, literals)), tableOf(lengths.slice(literals))];
  }
  function fixed() {
    const lengths = Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8));
    return [tableOf(lengths), tableOf(new Array(30).fill(5))];
  }
  function coded([literals, distances]) {
    for (;;) {
      const code = symbol(literals);
      if (code === 256) return;
      if (code < 256) {
        output[to++] = code;
        continue;
      }
      const length = LENGTHS[code - 257] + take(LENGTH_BITS[code - 257]);
      const which = symbol(distances);
      const distance = DISTANCES[which] + take(Math.max(0, (which >> 1) - 1));
      for (let each = 0; each < length; each++, to++) output[to] = output[to - distance];
    }
  }

  for (let last = 0; !last; ) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) stored();
    else if (kind === 1) coded(fixed());
    else if (kind === 2) coded(described());
    else throw new Error("the data in this page is damaged");
  }
  return output;
}
