// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include "plot.h"

#include "../../frame/app.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_nameless(void) {
  char path[4096];
  const char* folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/posp-XXXXXX", folder != NULL ? folder : "/tmp");
  int file = mkstemp(path);
  if (file < 0)
    app_reject("cannot make %s: %s", path, strerror(errno));
  unlink(path);
  return file;
}

void plot_open(Plot* plot, const char* name) {
  if (*name == '\0') {
    plot->file = open_nameless();
  } else {
    plot->file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (plot->file < 0)
      app_reject("cannot write %s: %s", name, strerror(errno));
  }
  uint64_t bytes = (plot->bucket_puzzles << plot->bucket_bits) * sizeof(Puzzle);
  int error = posix_fallocate(plot->file, 0, (off_t)bytes);
  if (error != 0)
    app_reject("no room for a plot of %llu bytes: %s", (unsigned long long)bytes, strerror(error));
}

uint64_t plot_bucket(const Plot* plot, const uint8_t hash[kHashBytes]) {
  uint32_t first = (uint32_t)hash[0] << 24 | hash[1] << 16 | hash[2] << 8 | hash[3];
  return (uint64_t)first >> (32 - plot->bucket_bits);
}

static off_t place(const Plot* plot, uint64_t bucket, uint64_t index) {
  return (off_t)((bucket * plot->bucket_puzzles + index) * sizeof(Puzzle));
}

static void fail(const char* what) {
  perror(what);
  exit(1);
}

void plot_write(const Plot* plot, uint64_t bucket, uint64_t first, const Puzzle* from,
                uint64_t count) {
  const char* rest = (const char*)from;
  const char* end = (const char*)(from + count);
  for (off_t at = place(plot, bucket, first); rest < end;) {
    ssize_t written = pwrite(plot->file, rest, (size_t)(end - rest), at);
    if (written < 0)
      fail("posp: cannot write to the plot");
    rest += written;
    at += written;
  }
}

void plot_read(const Plot* plot, uint64_t bucket, uint64_t first, Puzzle* to, uint64_t count) {
  char* rest = (char*)to;
  char* end = (char*)(to + count);
  for (off_t at = place(plot, bucket, first); rest < end;) {
    ssize_t got = pread(plot->file, rest, (size_t)(end - rest), at);
    if (got <= 0)
      fail("posp: cannot read from the plot");
    rest += got;
    at += got;
  }
}

int plot_bucket_right(const Plot* plot, uint64_t bucket) {
  Puzzle* puzzle = malloc(plot->bucket_puzzles * sizeof *puzzle);
  plot_read(plot, bucket, 0, puzzle, plot->bucket_puzzles);
  int right = 1;
  for (uint64_t i = 0; i < plot->bucket_puzzles && right; i++) {
    if (i > 0 && puzzle_is_blank(&puzzle[i]))
      continue;
    right = puzzle_right(plot->seed, &puzzle[i]) && plot_bucket(plot, puzzle[i].hash) == bucket &&
            (i == 0 || puzzle_compare(&puzzle[i - 1], &puzzle[i]) < 0);
  }
  free(puzzle);
  return right;
}

Puzzle plot_look_up(const Plot* plot, const uint8_t challenge[kHashBytes]) {
  uint64_t bucket = plot_bucket(plot, challenge);
  uint64_t low = 0, high = plot->bucket_puzzles;
  Puzzle found = puzzle_blank();
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    Puzzle probe;
    plot_read(plot, bucket, middle, &probe, 1);
    if (puzzle_compare(&probe, challenge) < 0) {
      low = middle + 1;
    } else {
      high = middle;
      found = probe;
    }
  }
  return found;
}
