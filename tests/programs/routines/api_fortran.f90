! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The Fortran names of the routines, with default and with 64-bit integers.
! Flang 19 does not know `detach`; its module has no 64-bit omp_get_schedule and no omp_get_cancellation.
! xomp-test: threads=1,4 flags=-cpp compilers=gfortran,flang
program api_fortran
  use omp_lib
  use iso_fortran_env, only: int64
  implicit none
  integer :: most

  most = omp_get_max_threads()
  call threads()
  call locks()
  call settings()
  call affinity()
  call memory()
  call tasks()

contains

  subroutine check(condition, line)
    logical, intent(in) :: condition
    integer, intent(in) :: line
    if (.not. condition) then
      print *, 'check failed in line', line
      stop 1
    end if
  end subroutine

  subroutine threads()
    integer :: total
    call check(omp_get_num_threads() == 1 .and. omp_get_thread_num() == 0, __LINE__)
    call check(.not. omp_in_parallel(), __LINE__)
    total = 0
    !$omp parallel reduction(+:total)
    total = total + 1
    call check(omp_get_level() == 1 .and. omp_get_team_size(1) == omp_get_num_threads(), __LINE__)
    call check(omp_get_team_size(1_int64) == omp_get_num_threads(), __LINE__)
    call check(omp_get_ancestor_thread_num(1) == omp_get_thread_num(), __LINE__)
    call check(omp_get_ancestor_thread_num(9_int64) == -1, __LINE__)
    !$omp end parallel
    call check(total == most, __LINE__)
    call check(omp_get_num_procs() >= 1, __LINE__)
    call check(omp_get_wtime() > 0d0 .and. omp_get_wtick() > 0d0, __LINE__)
    call check(omp_get_num_teams() == 1 .and. omp_get_team_num() == 0, __LINE__)
    call check(omp_is_initial_device() .and. omp_get_num_devices() == 0, __LINE__)
    call check(omp_get_device_num() == omp_get_initial_device(), __LINE__)
  end subroutine

  subroutine locks()
    integer(omp_lock_kind) :: lock
    integer(omp_nest_lock_kind) :: nest_lock
    integer :: counter, inner, i
    counter = 0
    inner = 0
    call omp_init_lock(lock)
    call omp_init_nest_lock(nest_lock)
    !$omp parallel private(i)
    do i = 1, 1000
      call omp_set_lock(lock)
      counter = counter + 1
      call omp_unset_lock(lock)
      call omp_set_nest_lock(nest_lock)
      call check(omp_test_nest_lock(nest_lock) == 2, __LINE__)
      inner = inner + 1
      call omp_unset_nest_lock(nest_lock)
      call omp_unset_nest_lock(nest_lock)
    end do
    !$omp end parallel
    call check(counter == 1000 * most .and. inner == counter, __LINE__)
    call check(omp_test_lock(lock), __LINE__)
    call check(.not. omp_test_lock(lock), __LINE__)
    call omp_unset_lock(lock)
    call omp_destroy_lock(lock)
    call omp_destroy_nest_lock(nest_lock)
  end subroutine

  subroutine settings()
    integer(omp_sched_kind) :: kind
    integer :: chunk
    integer(int64) :: chunk8
    call omp_set_num_threads(5_int64)
    call check(omp_get_max_threads() == 5, __LINE__)
    call omp_set_num_threads(most)
    call omp_set_dynamic(.true.)
    call check(omp_get_dynamic(), __LINE__)
    call omp_set_dynamic(.false._8)
    call check(.not. omp_get_dynamic(), __LINE__)
    call omp_set_schedule(omp_sched_dynamic, 12)
    call omp_get_schedule(kind, chunk)
    call check(kind == omp_sched_dynamic .and. chunk == 12, __LINE__)
#ifndef __flang__
    call omp_set_schedule(omp_sched_guided, 2_int64**40)
    call omp_get_schedule(kind, chunk8)
    call check(kind == omp_sched_guided .and. chunk8 == huge(chunk), __LINE__)
#endif
    call omp_set_max_active_levels(3_int64)
    call check(omp_get_max_active_levels() == 3, __LINE__)
    call omp_set_max_active_levels(1)
    call omp_set_num_teams(2)
    call omp_set_teams_thread_limit(4_int64)
    call check(omp_get_max_teams() == 2 .and. omp_get_teams_thread_limit() == 4, __LINE__)
    call omp_set_default_device(0)
    call check(omp_get_default_device() == 0, __LINE__)
    call check(omp_get_supported_active_levels() == 255, __LINE__)
    call check(omp_get_max_task_priority() == 0, __LINE__)
#ifndef __flang__
    call check(.not. omp_get_cancellation(), __LINE__)
#endif
  end subroutine

  subroutine affinity()
    character(len=30) :: text
    integer :: length
    call omp_set_affinity_format('at level %L')
    length = omp_get_affinity_format(text)
    call check(length == 11 .and. text == 'at level %L', __LINE__)
    length = omp_capture_affinity(text, '')
    call check(length == 10 .and. text == 'at level 0', __LINE__)
    length = omp_capture_affinity(text(1:4), 'abcdefgh')
    call check(length == 8 .and. text(1:6) == 'abcdev', __LINE__)
    call check(omp_get_num_places() >= 0, __LINE__)
  end subroutine

  subroutine memory()
    integer(omp_allocator_handle_kind) :: handle
    type(omp_alloctrait) :: traits(1)
    traits(1) = omp_alloctrait(omp_atk_alignment, 64)
    handle = omp_init_allocator(omp_default_mem_space, 1, traits)
    call check(handle /= omp_null_allocator, __LINE__)
    call omp_set_default_allocator(handle)
    call check(omp_get_default_allocator() == handle, __LINE__)
    call omp_set_default_allocator(omp_default_mem_alloc)
    call omp_destroy_allocator(handle)
  end subroutine

  subroutine tasks()
    integer(omp_event_handle_kind) :: event
    logical :: done
    done = .false.
    !$omp parallel
    !$omp single
#ifndef __flang__
    !$omp task detach(event) shared(done)
    done = .true.
    !$omp end task
    call omp_fulfill_event(event)
    !$omp taskwait
    call check(done, __LINE__)
#endif
    call check(.not. omp_in_final(), __LINE__)
    !$omp end single
    !$omp end parallel
    call check(omp_pause_resource_all(omp_pause_soft) == 0, __LINE__)
  end subroutine
end program
