! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Worksharing from Fortran: do with every schedule, ordered, sections, single, workshare, taskloop, reductions.
! Flang 19 has neither taskloop nor doacross loops yet.
! xomp-test: threads=1,2,8 flags=-cpp compilers=gfortran,flang
program worksharing
  use omp_lib
  implicit none
  integer, parameter :: n = 1000
  integer :: hits(n), order(n), i, k, last, position, first, second, value, failures
  integer(8) :: total, wide
  integer(omp_sched_kind) :: kinds(4)
  real(8) :: a(n), b(n)

  kinds = [omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto]
  failures = 0
  do k = 1, 4
    call omp_set_schedule(kinds(k), 3)
    hits = 0
    !$omp parallel do schedule(runtime) lastprivate(last)
    do i = n, 1, -1
      hits(i) = hits(i) + 1
      last = i
    end do
    if (any(hits /= 1) .or. last /= 1) error stop 1
    hits = 0
    !$omp parallel do schedule(runtime)
    do wide = 1_8, 3_8 * n, 3_8
      hits((wide + 2) / 3) = hits((wide + 2) / 3) + 1
    end do
    if (any(hits /= 1)) error stop 2
    position = 0
    !$omp parallel do ordered schedule(runtime)
    do i = 1, n
      !$omp ordered
      position = position + 1
      order(position) = i
      !$omp end ordered
    end do
    if (any(order /= [(i, i = 1, n)])) error stop 3
  end do

  first = 0
  second = 0
  !$omp parallel sections
  !$omp section
  first = first + 1
  !$omp section
  second = second + 2
  !$omp end parallel sections
  if (first /= 1 .or. second /= 2) error stop 4

  !$omp parallel private(value) reduction(+ : failures)
  value = -1
  !$omp single
  value = 17
  !$omp end single copyprivate(value)
  if (value /= 17) failures = failures + 1
  !$omp end parallel
  if (failures /= 0) error stop 5

  b = [(real(i, 8), i = 1, n)]
  !$omp parallel workshare
  a = 2 * b
  where (a > n) a = 0
  total = int(sum(a), 8)
  !$omp end parallel workshare
  if (total /= sum([(2 * i, i = 1, n / 2)])) error stop 6

#ifndef __flang__
  total = 0
  !$omp parallel
  !$omp single
  !$omp taskloop reduction(+ : total) grainsize(7)
  do i = 1, n
    total = total + i
  end do
  !$omp end taskloop
  !$omp end single
  !$omp end parallel
  if (total /= n * (n + 1) / 2) error stop 7

  hits = 0
  !$omp parallel do ordered(1) schedule(dynamic, 2)
  do i = 2, n
    !$omp ordered depend(sink : i - 1)
    hits(i) = hits(i - 1) + 1
    !$omp ordered depend(source)
  end do
  if (hits(n) /= n - 1) error stop 8
#endif
end program worksharing
