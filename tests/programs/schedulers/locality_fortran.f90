! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The locality routines for Fortran: the module, and the names that gfortran makes without an interface.
! Not by flang 19, which copies what is firstprivate when the task begins.
! xomp-test: threads=4 barriers=tree env=XOMP_SCHEDULER=mts env=XOMP_LOCALITY=strict libs=lib/libxomp.so
! xomp-test: "env=XOMP_TOPOLOGY=numa:2 core:2 pu:1"
include '../../include/xomp_lib.f90'

subroutine without_an_interface()
  implicit none
  integer, external :: omp_get_num_locality_domains, omp_get_locality_domain_num
  external :: omp_child_task_affinity
  if (omp_get_num_locality_domains() /= 2) error stop 1
  if (omp_get_locality_domain_num() /= 0) error stop 2
  call omp_child_task_affinity(-1)
end subroutine

program locality_fortran
  use omp_lib
  use xomp_lib
  implicit none
  integer :: i, ran
  call without_an_interface()
  if (omp_get_num_locality_domains() /= 2) error stop 3
  ran = 0
  !$omp parallel
  if (omp_get_locality_domain_num() /= omp_get_thread_num() / 2) error stop 4
  !$omp single
  do i = 0, 19
    call omp_child_task_affinity(mod(i, 2))
    !$omp task shared(ran) firstprivate(i)
    if (omp_get_locality_domain_num() /= mod(i, 2)) error stop 5
    !$omp atomic
    ran = ran + 1
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (ran /= 20) error stop 6
end program
