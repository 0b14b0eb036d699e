// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proof of space (paper 1, section VII): tasks of `batch` puzzles each fill buckets in memory until
// all buckets are full; full buckets are written to the file, and this is repeated until the file
// holds 2^k puzzles. Then a task per bucket sorts the bucket in the file. A puzzle that falls into
// a full bucket is dropped, so more are hashed than are kept. Nonces have 4 bytes: with k = 32 they
// can run out before the last bucket is full, whose rest then stays blank (`filled` tells).
#include "../../frame/app.h"
#include "plot.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static long k, memory, batch, seed, challenges;
static const char* file_name;

static Plot plot;
static uint64_t buckets;
static uint64_t most; // puzzles of a bucket that memory holds

// One round: what one filling of memory adds to the file.
static uint64_t first, room; // of each bucket: puzzles in the file already, puzzles to add
static Puzzle* puzzles;      // `most` for each bucket
static uint64_t* used;       // by bucket; above room once puzzles were dropped
static uint64_t full;        // buckets

static uint64_t next_nonce, hashed, skipped, tasks;
static double generating, writing, sorting; // seconds

static const uint64_t kNonces = 1ull << 32;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void keep(const Puzzle* puzzle) {
  uint64_t bucket = plot_bucket(&plot, puzzle->hash);
  if (__atomic_load_n(&used[bucket], __ATOMIC_RELAXED) >= room)
    return;
  uint64_t place = __atomic_fetch_add(&used[bucket], 1, __ATOMIC_RELAXED);
  if (place < room)
    puzzles[bucket * most + place] = *puzzle;
  if (place + 1 == room)
    __atomic_fetch_add(&full, 1, __ATOMIC_RELAXED);
}

static int all_full(void) { return __atomic_load_n(&full, __ATOMIC_RELAXED) == buckets; }

// What was ahead in the queues when the last bucket became full is not hashed any more.
static void fill(uint64_t nonce, uint64_t count) {
  if (all_full()) {
    __atomic_fetch_add(&skipped, count, __ATOMIC_RELAXED);
    return;
  }
  for (uint64_t end = nonce + count; nonce < end; nonce++) {
    Puzzle puzzle = puzzle_make(plot.seed, (uint32_t)nonce);
    keep(&puzzle);
  }
}

static int next_batch(uint64_t* nonce, uint64_t* count) {
  uint64_t left = kNonces - next_nonce;
  if (left == 0 || all_full())
    return 0;
  *nonce = next_nonce;
  *count = left < (uint64_t)batch ? left : (uint64_t)batch;
  next_nonce += *count;
  return 1;
}

static void write_out(uint64_t bucket) {
  Puzzle* mine = puzzles + bucket * most;
  for (uint64_t i = used[bucket]; i < room; i++)
    mine[i] = puzzle_blank();
  plot_write(&plot, bucket, first, mine, room);
}

static void sort(uint64_t bucket) {
  Puzzle* mine = malloc(plot.bucket_puzzles * sizeof *mine);
  plot_read(&plot, bucket, 0, mine, plot.bucket_puzzles);
  qsort(mine, plot.bucket_puzzles, sizeof *mine, puzzle_compare);
  plot_write(&plot, bucket, 0, mine, plot.bucket_puzzles);
  free(mine);
}

// The next round begins where the last ended; returns whether there is one.
static int begin_round(void) {
  first += room;
  room = plot.bucket_puzzles - first < most ? plot.bucket_puzzles - first : most;
  memset(used, 0, buckets * sizeof *used);
  full = 0;
  return room > 0;
}

// Adds the time since `*since` to the phase that ends.
static void end_phase(double* phase, double* since) {
  double time = now();
  *phase += time - *since;
  *since = time;
}

// One function per variant: whether a task is tied is fixed when it is compiled.
#define POSP(NAME, TASK)                                                                           \
  static void generate_##NAME(void) {                                                              \
    uint64_t nonce, count;                                                                         \
    for (; next_batch(&nonce, &count); tasks++) {                                                  \
      _Pragma(TASK) fill(nonce, count);                                                            \
    }                                                                                              \
    _Pragma("omp taskwait")                                                                        \
  }                                                                                                \
  static void each_bucket_##NAME(void (*work)(uint64_t)) {                                         \
    for (uint64_t bucket = 0; bucket < buckets; bucket++) {                                        \
      _Pragma(TASK) work(bucket);                                                                  \
    }                                                                                              \
    _Pragma("omp taskwait") tasks += buckets;                                                      \
  }                                                                                                \
  static void plot_##NAME(void) {                                                                  \
    double time = now();                                                                           \
    while (begin_round()) {                                                                        \
      generate_##NAME();                                                                           \
      end_phase(&generating, &time);                                                               \
      each_bucket_##NAME(write_out);                                                               \
      end_phase(&writing, &time);                                                                  \
    }                                                                                              \
    each_bucket_##NAME(sort);                                                                      \
    end_phase(&sorting, &time);                                                                    \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    _Pragma("omp parallel") _Pragma("omp single") plot_##NAME();                                   \
    app_tasks(tasks);                                                                              \
  }

POSP(tied, "omp task")
POSP(untied, "omp task untied")

static void run_serial(void) {
  double time = now();
  while (begin_round()) {
    for (uint64_t nonce, count; next_batch(&nonce, &count);)
      fill(nonce, count);
    end_phase(&generating, &time);
    for (uint64_t bucket = 0; bucket < buckets; bucket++)
      write_out(bucket);
    end_phase(&writing, &time);
  }
  for (uint64_t bucket = 0; bucket < buckets; bucket++)
    sort(bucket);
  end_phase(&sorting, &time);
}

static const Variant kVariants[] = {
    {"tied", "a tied task per batch of puzzles and per bucket", run_tied},
    {"untied", "an untied task per batch of puzzles and per bucket", run_untied},
    {"serial", "no OpenMP", run_serial},
    {0},
};

// Paper 1 says that k is 32 in production and that its best batch has 1024 puzzles; it does not say
// how much memory it gave, so `paper` takes the whole plot, 128 GiB.
static const Parameter kParameters[] = {
    {"k", "the plot has 2^k puzzles", kInteger, &k, {"12", "18", "22", "32"}, 4, 32},
    {"memory",
     "KiB for puzzles that are not yet in the file",
     kInteger,
     &memory,
     {"64", "4096", "65536", "134217728"},
     1,
     1ll << 40},
    {"batch",
     "puzzles that a task hashes",
     kInteger,
     &batch,
     {"8", "64", "256", "1024"},
     1,
     1ll << 32},
    {"challenges",
     "look-ups that verify the file",
     kInteger,
     &challenges,
     {"100", "100", "100", "1000"},
     0,
     1000000},
    {"seed", "of the plot", kInteger, &seed, {"1", "1", "1", "1"}, 0, 1ll << 52},
    {"file", "the plot; if empty, a temporary file", kText, &file_name, {"", "", "", ""}, 0, 0},
    {0},
};

static void prepare(void) {
  plot.bucket_bits = (int)(k / 2);
  plot.bucket_puzzles = 1ull << (k - plot.bucket_bits);
  memcpy(plot.seed, &seed, sizeof seed);
  buckets = 1ull << plot.bucket_bits;
  most = (uint64_t)memory * 1024 / sizeof(Puzzle) / buckets;
  if (most == 0)
    app_reject("--memory %ld does not hold a puzzle of each of %llu buckets", memory,
               (unsigned long long)buckets);
  if (most > plot.bucket_puzzles)
    most = plot.bucket_puzzles;
  puzzles = malloc(buckets * most * sizeof *puzzles);
  used = malloc(buckets * sizeof *used);
  if (puzzles == NULL || used == NULL)
    app_reject("there is not so much memory as --memory %ld", memory);
  plot_open(&plot, file_name);
}

// What a look-up must find, by a walk through the whole bucket.
static Puzzle search(const uint8_t* challenge) {
  Puzzle puzzle = puzzle_blank();
  uint64_t bucket = plot_bucket(&plot, challenge);
  for (uint64_t i = 0; i < plot.bucket_puzzles; i++) {
    plot_read(&plot, bucket, i, &puzzle, 1);
    if (puzzle_compare(&puzzle, challenge) >= 0)
      return puzzle;
  }
  return puzzle_blank();
}

// Challenges are hashes of other nonces under another seed.
static long look_ups_wrong(void) {
  uint8_t other[kSeedBytes] = "challenges";
  long wrong = 0;
  for (long i = 0; i < challenges; i++) {
    Puzzle challenge = puzzle_make(other, (uint32_t)i);
    Puzzle found = plot_look_up(&plot, challenge.hash);
    Puzzle expected = search(challenge.hash);
    wrong += memcmp(&found, &expected, sizeof found) != 0 ||
             !(puzzle_is_blank(&found) || puzzle_right(plot.seed, &found));
  }
  return wrong;
}

// Blank places are allowed only where the nonces ran out.
static uint64_t count_blanks(uint64_t bucket) {
  uint64_t blanks = 0;
  Puzzle puzzle;
  for (uint64_t i = plot.bucket_puzzles; i-- > 0; blanks++) {
    plot_read(&plot, bucket, i, &puzzle, 1);
    if (!puzzle_is_blank(&puzzle))
      break;
  }
  return blanks;
}

// Every puzzle of the file is hashed again up to 2^22 of them; of larger plots some buckets are.
static int check(void) {
  uint64_t step = k <= 22 ? 1 : 1ull << (k - 22);
  uint64_t wrong = 0, blanks = 0;
  for (uint64_t bucket = 0; bucket < buckets; bucket++) {
    blanks += count_blanks(bucket);
    wrong += bucket % step == 0 && !plot_bucket_right(&plot, bucket);
  }
  uint64_t size = plot.bucket_puzzles * buckets;
  hashed = next_nonce - skipped;
  app_note("hashes=%llu filled=%.6f generating=%.6f writing=%.6f sorting=%.6f mhs=%.3f",
           (unsigned long long)hashed, (double)(size - blanks) / (double)size, generating, writing,
           sorting, (double)hashed / generating / 1e6);
  return blake3_right() && wrong == 0 && look_ups_wrong() == 0 &&
         (blanks == 0 || next_nonce == kNonces);
}

int main(int argc, char** argv) {
  static const App app = {
      "posp", "Proof-of-space plots with BLAKE3", kVariants, kParameters, prepare, check};
  return app_main(&app, argc, argv);
}
