! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The Fortran quarters of mixed_fortran.c: gfortran's, which calls flang's, and flang's, which calls main's.
#ifdef __flang__
#define MINE "flang"
#define NEXT "main"
#else
#define MINE "gfortran"
#define NEXT "flang"
#endif
module part_mixed_fortran
  use iso_c_binding, only: c_int, c_long
  use omp_lib, only: omp_get_ancestor_thread_num, omp_get_level, omp_get_thread_num
  implicit none
  integer(c_int), save :: own = 0
  !$omp threadprivate(own)

  interface
    subroutine check(holds) bind(c, name="check_fortran")
      import c_int
      integer(c_int), value :: holds
    end subroutine
    subroutine next_nested(depth, regions) bind(c, name=NEXT//"_nested")
      import c_int
      integer(c_int), value :: depth
      integer(c_int), intent(inout) :: regions
    end subroutine
    integer(c_long) function next_fib(n) bind(c, name=NEXT//"_fib")
      import c_int, c_long
      integer(c_int), value :: n
    end function
    subroutine next_chain(steps, value) bind(c, name=NEXT//"_chain")
      import c_int
      integer(c_int), intent(in) :: steps(*)
      integer(c_int), intent(inout) :: value
    end subroutine
    ! Of C: a lock has another kind of integer in the two modules.
    subroutine set_lock() bind(c, name="set_lock")
    end subroutine
    subroutine unset_lock() bind(c, name="unset_lock")
    end subroutine
  end interface

contains

  recursive subroutine nested(depth, regions) bind(c, name=MINE//"_nested")
    integer(c_int), value :: depth
    integer(c_int), intent(inout) :: regions
    integer :: level, left
    level = omp_get_level()
    left = depth
    !$omp parallel num_threads(2) firstprivate(level, left)
    call check(merge(1, 0, omp_get_level() == level + 1))
    call check(merge(1, 0, omp_get_ancestor_thread_num(level + 1) == omp_get_thread_num()))
    !$omp single
    !$omp atomic
    regions = regions + 1
    !$omp end single
    if (left > 1) call next_nested(left - 1, regions)
    !$omp end parallel
  end subroutine

  recursive integer(c_long) function fib(n) bind(c, name=MINE//"_fib") result(sum)
    integer(c_int), value :: n
    integer(c_long) :: a, b
    integer :: less
    sum = n
    if (n < 2) return
    less = n - 1
    !$omp task shared(a) firstprivate(less)
    a = next_fib(less)
    !$omp end task
    !$omp task shared(b) firstprivate(less)
    b = fib(less - 1)
    !$omp end task
    !$omp taskwait
    sum = a + b
  end function

  ! Flang 19 copies what is firstprivate when the task begins, on whatever runtime: too late here.
  recursive subroutine chain(steps, value) bind(c, name=MINE//"_chain")
    integer(c_int), intent(in) :: steps(*)
    integer(c_int), intent(inout) :: value
    if (steps(1) == 0) return
    !$omp task depend(inout: value) shared(steps, value)
    value = value * 3 + steps(1)
    !$omp end task
    call next_chain(steps(2), value)
  end subroutine

  subroutine shares(counts, n) bind(c, name=MINE//"_shares")
    integer(c_int), value :: n
    integer(c_int), intent(inout) :: counts(n)
    integer :: i
    !$omp do schedule(dynamic, 3)
    do i = 1, n
      counts(i) = counts(i) + 1
    end do
    !$omp end do
    !$omp do schedule(static)
    do i = 1, n
      counts(i) = counts(i) + 10
    end do
    !$omp end do
    !$omp single
    do i = 1, n
      counts(i) = counts(i) + 100
    end do
    !$omp end single
    !$omp sections
    !$omp section
    counts(1) = counts(1) + 1000
    !$omp section
    counts(2) = counts(2) + 1000
    !$omp end sections
  end subroutine

  subroutine locked(value) bind(c, name=MINE//"_locked")
    integer(c_int), intent(inout) :: value
    call set_lock()
    value = value + 1
    call unset_lock()
  end subroutine

  integer(c_int) function add_own(more) bind(c, name=MINE//"_add_own")
    integer(c_int), value :: more
    own = own + more
    add_own = own
  end function
end module
