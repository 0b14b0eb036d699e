// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "proteins.h"

#include "../../frame/app.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kLetters[] = "ARNDCQEGHILKMFPSTWYVBZX";

// BLOSUM62 (Henikoff and Henikoff 1992), in the order of kLetters.
// clang-format off
const int8_t kLikeness[kResidues][kResidues] = {
    { 4, -1, -2, -2,  0, -1, -1,  0, -2, -1, -1, -1, -1, -2, -1,  1,  0, -3, -2,  0, -2, -1,  0},
    {-1,  5,  0, -2, -3,  1,  0, -2,  0, -3, -2,  2, -1, -3, -2, -1, -1, -3, -2, -3, -1,  0, -1},
    {-2,  0,  6,  1, -3,  0,  0,  0,  1, -3, -3,  0, -2, -3, -2,  1,  0, -4, -2, -3,  3,  0, -1},
    {-2, -2,  1,  6, -3,  0,  2, -1, -1, -3, -4, -1, -3, -3, -1,  0, -1, -4, -3, -3,  4,  1, -1},
    { 0, -3, -3, -3,  9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1, -3, -3, -2},
    {-1,  1,  0,  0, -3,  5,  2, -2,  0, -3, -2,  1,  0, -3, -1,  0, -1, -2, -1, -2,  0,  3, -1},
    {-1,  0,  0,  2, -4,  2,  5, -2,  0, -3, -3,  1, -2, -3, -1,  0, -1, -3, -2, -2,  1,  4, -1},
    { 0, -2,  0, -1, -3, -2, -2,  6, -2, -4, -4, -2, -3, -3, -2,  0, -2, -2, -3, -3, -1, -2, -1},
    {-2,  0,  1, -1, -3,  0,  0, -2,  8, -3, -3, -1, -2, -1, -2, -1, -2, -2,  2, -3,  0,  0, -1},
    {-1, -3, -3, -3, -1, -3, -3, -4, -3,  4,  2, -3,  1,  0, -3, -2, -1, -3, -1,  3, -3, -3, -1},
    {-1, -2, -3, -4, -1, -2, -3, -4, -3,  2,  4, -2,  2,  0, -3, -2, -1, -2, -1,  1, -4, -3, -1},
    {-1,  2,  0, -1, -3,  1,  1, -2, -1, -3, -2,  5, -1, -3, -1,  0, -1, -3, -2, -2,  0,  1, -1},
    {-1, -1, -2, -3, -1,  0, -2, -3, -2,  1,  2, -1,  5,  0, -2, -1, -1, -1, -1,  1, -3, -1, -1},
    {-2, -3, -3, -3, -2, -3, -3, -3, -1,  0,  0, -3,  0,  6, -4, -2, -2,  1,  3, -1, -3, -3, -1},
    {-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4,  7, -1, -1, -4, -3, -2, -2, -1, -2},
    { 1, -1,  1,  0, -1,  0,  0,  0, -1, -2, -2,  0, -1, -2, -1,  4,  1, -3, -2, -2,  0,  0,  0},
    { 0, -1,  0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1,  1,  5, -2, -2,  0, -1, -1,  0},
    {-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1,  1, -4, -3, -2, 11,  2, -3, -4, -3, -2},
    {-2, -2, -2, -3, -2, -1, -2, -3,  2, -1, -1, -2, -1,  3, -3, -2, -2,  2,  7, -1, -3, -2, -1},
    { 0, -3, -3, -3, -1, -2, -2, -3, -3,  3,  1, -2,  1, -1, -2, -2,  0, -3, -1,  4, -3, -2, -1},
    {-2, -1,  3,  4, -3,  0,  1, -1,  0, -3, -4,  0, -3, -3, -2,  0, -1, -4, -3, -3,  4,  1, -1},
    {-1,  0,  0,  1, -3,  3,  4, -2,  0, -3, -3,  1, -1, -3, -1,  0, -1, -3, -2, -2,  1,  4, -1},
    { 0, -1, -1, -1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -2,  0,  0, -2, -1, -1, -1, -1, -1},
};
// clang-format on

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes);
  if (memory == NULL)
    app_reject("out of memory for the proteins");
  return memory;
}

static void append(Protein* protein, int* room, int residue) {
  if (protein->length == *room) {
    *room = *room ? 2 * *room : 256;
    protein->residue = realloc(protein->residue, (size_t)*room);
    if (protein->residue == NULL)
      app_reject("out of memory for the proteins");
  }
  protein->residue[protein->length++] = (uint8_t)residue;
}

// A line ">name", then lines of letters up to the next '>', which is left unread.
static void read_one(FILE* file, const char* path, long index, Protein* protein) {
  int letter, room = 0;
  protein->length = 0;
  protein->residue = NULL;
  while (isspace(letter = fgetc(file)))
    ;
  if (letter != '>')
    app_reject("%s: protein %ld does not begin with '>'", path, index + 1);
  while (letter != '\n' && letter != EOF)
    letter = fgetc(file);
  while ((letter = fgetc(file)) != EOF && letter != '>') {
    if (isspace(letter))
      continue;
    const char* found = isalpha(letter) ? strchr(kLetters, toupper(letter)) : NULL;
    if (found == NULL && !isalpha(letter))
      app_reject("%s: protein %ld has a character that is no letter", path, index + 1);
    append(protein, &room, found ? (int)(found - kLetters) : kResidues - 1);
  }
  ungetc(letter, file);
  if (protein->length == 0)
    app_reject("%s: protein %ld is empty", path, index + 1);
}

// The suite's files: a line with the number of proteins, then the proteins in FASTA.
Protein* proteins_read(const char* path, long count) {
  FILE* file = fopen(path, "r");
  long there;
  if (file == NULL)
    app_reject("cannot read %s", path);
  if (fscanf(file, "Number of sequences is %ld", &there) != 1)
    app_reject("%s does not begin with 'Number of sequences is N'", path);
  if (there < count)
    app_reject("%s has %ld proteins, not %ld", path, there, count);
  Protein* proteins = allocate((size_t)count * sizeof *proteins);
  for (long i = 0; i < count; i++)
    read_one(file, path, i, &proteins[i]);
  fclose(file);
  return proteins;
}

// splitmix64 (Steele, Lea and Flood 2014): from 0 to below `end`.
static int draw(uint64_t* state, int end) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (int)((x ^ x >> 31) % (uint64_t)end);
}

// A relative of an earlier protein: a third of the residues changed, here and there some more or
// less of them.
static void evolve(const Protein* ancestor, Protein* protein, uint64_t* state) {
  int room = 0;
  for (int i = 0; i < ancestor->length; i++) {
    int event = draw(state, 100);
    if (event == 0)
      i += draw(state, 10);
    for (int more = event == 1 ? draw(state, 10) : 0; more > 0; more--)
      append(protein, &room, draw(state, 20));
    if (i < ancestor->length)
      append(protein, &room, event < 33 ? draw(state, 20) : ancestor->residue[i]);
  }
}

// Lengths lie from a quarter of `length` to seven quarters; every second protein has an ancestor.
Protein* proteins_draw(long count, long length, uint64_t seed) {
  uint64_t state = seed;
  Protein* proteins = allocate((size_t)count * sizeof *proteins);
  for (long i = 0; i < count; i++) {
    proteins[i] = (Protein){0, NULL};
    if (i % 2 == 1)
      evolve(&proteins[draw(&state, (int)i)], &proteins[i], &state);
    int room = 0, wanted = (int)length / 4 + draw(&state, (int)length * 3 / 2);
    while (i % 2 == 0 && proteins[i].length < wanted + 1)
      append(&proteins[i], &room, draw(&state, 20));
    if (proteins[i].length == 0)
      append(&proteins[i], &room, draw(&state, 20));
  }
  return proteins;
}
