// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// trace/writer.cc: a writer fills its buffer, a mapped chunk of the log, copies it to the log's end and begins it again; and who
// reads the log, as docs/perflog-format.md has it: one chunk with the same number as another counts, the one with more records,
// of two with as many the later one in the file. Without LIVE the reader sees the file as it is at one moment, any
// moment at which the program may be killed: it finds every record that was written, once and in order, and nothing
// else. With LIVE it reads while the writer goes on, the buffer first, then the headers of the other chunks from the file's end
// on, then their records: it finds all that was written before it began, and maybe more, without a hole.
// xomp-model:
// xomp-model: spin=-DLIVE
// xomp-model: spin=-DCLEARED_FIRST fails
// xomp-model: spin=-DHEADER_FIRST fails
// xomp-model: spin=-DCOPY_COUNTS fails
// xomp-model: spin=-DLIVE spin=-DBUFFER_COUNTS fails
// xomp-model: spin=-DLIVE spin=-DCOPIES_FIRST fails
// xomp-model: spin=-DLIVE spin=-DASCENDING fails

#define ROOM 2    // records of a buffer
#define BUFFERS 3   // that the writer fills
#define RECORDS 6 // ROOM * BUFFERS
#define COPIES 3

// The file: the buffer, and what lies behind it. Record 0 is none.
bool buffer_is_there = true;
byte buffer_number = 0;
byte buffer[ROOM];
bool copied[COPIES];
byte numbers[COPIES];
byte copies[RECORDS];

byte written = 0; // the last record

inline clear_buffer() {
  j = 0;
  do
  :: j < ROOM -> buffer[j] = 0; j++
  :: else -> break
  od
}

inline copy_buffer() {
  numbers[buffer_number] = buffer_number;
  copied[buffer_number] = true; // a chunk's magic, its first bytes
  j = 0;
  do
  :: j < ROOM -> copies[buffer_number * ROOM + j] = buffer[j]; j++
  :: else -> break
  od
}

active proctype Pen() {
  byte used = 0, j;
  do
  :: written < RECORDS ->
     if
     :: used == ROOM ->
#ifdef CLEARED_FIRST
        buffer_is_there = false;
        copy_buffer();
#else
        copy_buffer();
        buffer_is_there = false;
#endif
#ifdef HEADER_FIRST
        buffer_number++;
        buffer_is_there = true;
        clear_buffer();
#else
        clear_buffer();
        buffer_number++;
        buffer_is_there = true;
#endif
        used = 0
     :: else
     fi;
     d_step { buffer[used] = written + 1; used++; written++ } // a record's label
  :: else -> break
  od
}

inline read_copies() {
#ifdef ASCENDING
  n = 0;
  do
  :: n < COPIES -> seen[n] = copied[n]; n++
  :: else -> break
  od;
#else
  n = COPIES;
  do
  :: n > 0 -> n--; seen[n] = copied[n]
  :: else -> break
  od;
#endif
  n = 0;
  do
  :: n < RECORDS -> second[n] = copies[n]; n++
  :: else -> break
  od
}

#ifdef LIVE
#define STEP
#define END_STEP
#else
#define STEP d_step {
#define END_STEP }
#endif

active proctype Reader() {
  byte at_begin, number, expected, n, m, k;
  bool there, seen[COPIES];
  byte first[ROOM], second[RECORDS], count, other;
  STEP
  at_begin = written;
#ifdef COPIES_FIRST
  read_copies();
#endif
  there = buffer_is_there;
  number = buffer_number;
  m = 0;
  do
  :: m < ROOM -> first[m] = buffer[m]; m++
  :: else -> break
  od;
#ifndef COPIES_FIRST
  read_copies();
#endif
  END_STEP
  skip;
  d_step { // what was read, in order: 1, 2, ... and nothing missing in between
    expected = 1;
    n = 0;
    do
    :: n < BUFFERS ->
       count = 0;
       do
       :: there && number == n && count < ROOM && first[count] != 0 -> count++
       :: else -> break
       od;
       other = 0;
       do
       :: seen[n] && other < ROOM && second[n * ROOM + other] != 0 -> other++
       :: else -> break
       od;
       k = 0;
#if defined(COPY_COUNTS)
       if :: seen[n] -> count = 0 :: else fi;
#elif defined(BUFFER_COUNTS)
       if :: there && number == n -> other = 0 :: else fi;
#endif
       do
       :: k < count && count > other ->
          assert(first[k] == expected);
          expected++; k++
       :: k < other && other >= count ->
          assert(second[n * ROOM + k] == expected);
          expected++; k++
       :: else -> break
       od;
       n++
    :: else -> break
    od;
    assert(expected > at_begin)
#ifndef LIVE
    assert(expected == at_begin + 1)
#endif
  }
}
