// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worked example of docs/worked-example.md: one picture, three times. VERSION=1: a task for
// each pixel; 2: a task for some rows; 3: the colours, too, by all threads.
#include <stdio.h>

enum { WIDTH = 900, HEIGHT = 600, MOST = 600 };

static unsigned short steps[HEIGHT][WIDTH];
static unsigned char picture[HEIGHT][WIDTH][3];

static void pixel(int x, int y) {
  double re = -2.2 + 3.2 * x / WIDTH, im = -1.2 + 2.4 * y / HEIGHT, a = re, b = im;
  int step = 0;
  for (; step < MOST && a * a + b * b < 4; step++) {
    double next = a * a - b * b + re;
    b = 2 * a * b + im;
    a = next;
  }
  steps[y][x] = (unsigned short)step;
}

static void iterate(void) {
#pragma omp parallel
#pragma omp single
#if VERSION == 1
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
#pragma omp task
      pixel(x, y);
#else
#pragma omp taskloop grainsize(4)
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      pixel(x, y);
#endif
}

// Each pixel's colour is the mean over its neighbours, which smoothes the edges.
static void paint(void) {
#if VERSION == 3
#pragma omp parallel for schedule(dynamic, 8)
#endif
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      int sum = 0, count = 0;
      for (int down = -4; down <= 4; down++)
        for (int right = -4; right <= 4; right++) {
          int row = y + down, column = x + right;
          if (row < 0 || row >= HEIGHT || column < 0 || column >= WIDTH)
            continue;
          sum += steps[row][column];
          count++;
        }
      int mean = sum / count;
      picture[y][x][0] = (unsigned char)(mean * 7);
      picture[y][x][1] = (unsigned char)(mean * 3);
      picture[y][x][2] = (unsigned char)(mean == MOST ? 0 : 255 - mean);
    }
}

int main(void) {
  iterate();
  paint();
  unsigned long sum = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      sum = sum * 31 + picture[y][x][0] + picture[y][x][2];
  printf("picture %lx\n", sum);
  return 0;
}
