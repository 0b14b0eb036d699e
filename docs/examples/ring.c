// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A message around a ring of MPI ranks, as tasks: a receive is a detached task, which is complete
// when its MPI request is. No thread waits for one message: the tasks that need it depend on its
// receive, and one thread asks MPI.
//   mpicc -O2 -fopenmp ring.c -o ring && mpirun -n 4 ./ring
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 100 };

static MPI_Request requests[ROUNDS]; // the receives that have begun and not ended, in no order,
static omp_event_handle_t events[ROUNDS]; // and the events of their tasks
static int waiting;                       // how many these are
static int done;                          // receives that have ended

// One look at the requests. MPI_THREAD_SERIALIZED: MPI is called by one thread at a time.
static int look(void) {
  int all;
#pragma omp critical(mpi)
  {
    for (int i = 0; i < waiting;) {
      int arrived = 0;
      MPI_Test(&requests[i], &arrived, MPI_STATUS_IGNORE);
      if (!arrived) {
        ++i;
        continue;
      }
      omp_fulfill_event(events[i]);
      --waiting;
      requests[i] = requests[waiting];
      events[i] = events[waiting];
      ++done;
    }
    all = done == ROUNDS;
  }
  return all;
}

int main(int argc, char** argv) {
  int provided, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  static int received[ROUNDS];
  long sum = 0;

#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < ROUNDS; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(out : received[i]) firstprivate(i)
      {
#pragma omp critical(mpi)
        {
          events[waiting] = event;
          MPI_Irecv(&received[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[waiting++]);
        }
      }
#pragma omp task depend(in : received[i]) depend(inout : sum) firstprivate(i) shared(sum)
      sum += received[i];
      int message = rank * ROUNDS + i;
#pragma omp critical(mpi)
      MPI_Send(&message, 1, MPI_INT, right, i,
               MPI_COMM_WORLD); // too small to wait for its receiver
    }
    while (!look()) {
#pragma omp taskyield
    }
  }

  long expected = (long)left * ROUNDS * ROUNDS + ROUNDS * (ROUNDS - 1) / 2;
  printf("rank %d of %d: %s\n", rank, ranks, sum == expected ? "right" : "wrong");
  MPI_Finalize();
  return sum != expected;
}
