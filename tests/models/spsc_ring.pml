/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ring for one producer and one consumer (runtime/queue/spsc_ring.h): a slot is free when it holds null, and the two
   sides share no index. What the producer writes into an item is on its way until a release store; what the consumer
   reads of an item may be read late, until its release of the slot. Checked: order, nothing lost, nothing overwritten,
   items complete when they arrive, an item's memory not used again while it is read.

   xomp-model:
   xomp-model: spin=-DNO_LOOK_BEFORE_PUSH fails
   xomp-model: spin=-DRELAXED_PUSH fails
   xomp-model: spin=-DRELAXED_POP fails */

#define SLOTS 2
#define ITEMS 5
/* Item n lies in block n % BLOCKS: a block is used again when its slot has been seen free. */
#define BLOCKS 2

byte slot[SLOTS];        /* 0: free, else the item's number */
byte content[BLOCKS];    /* what is in the block: the item's number */
byte unwritten, unwritten_block; /* a store of content on its way; 0: none */
bit slow_read;           /* the consumer still reads ... */
byte read_block, read_item; /* ... this */

#define WRITE_CONTENT d_step { if :: unwritten -> content[unwritten_block] = unwritten; unwritten = 0 :: else fi }
#define FINISH_READ d_step { if :: slow_read -> assert(content[read_block] == read_item); slow_read = 0 :: else fi }

active proctype memory() {
end:
  do
  :: atomic { unwritten -> WRITE_CONTENT }
  :: atomic { slow_read -> FINISH_READ }
  od
}

active proctype producer() {
  byte item = 1, tail = 0;
  do
  :: item <= ITEMS ->
#ifndef NO_LOOK_BEFORE_PUSH
    slot[tail] == 0; /* acquire; a full ring means "run it now", here: try again */
#endif
    d_step { WRITE_CONTENT; unwritten = item; unwritten_block = item % BLOCKS }
#ifndef RELAXED_PUSH
    WRITE_CONTENT;
#endif
    d_step {
      assert(slot[tail] == 0);
      slot[tail] = item;
      tail = (tail + 1) % SLOTS;
      item++
    }
  :: else -> break
  od
}

active proctype consumer() {
  byte expected = 1, head = 0, item;
  do
  :: expected <= ITEMS ->
    slot[head] != 0;
    d_step {
      item = slot[head]; /* acquire */
      assert(item == expected);
      FINISH_READ;
      slow_read = 1;
      read_block = item % BLOCKS;
      read_item = item
    }
#ifndef RELAXED_POP
    FINISH_READ;
#endif
    d_step { slot[head] = 0; head = (head + 1) % SLOTS; expected++ }
  :: else -> break
  od
}
