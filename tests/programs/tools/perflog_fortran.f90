! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The version, and the recorder, for Fortran: the module, and the names that gfortran makes without an interface.
! xomp-test: threads=3 barriers=tree recorded=0 serial=1 libs=lib/libxomp.so compilers=gfortran,flang
include '../../include/xomp_lib.f90'

subroutine without_an_interface()
  implicit none
  integer, external :: xomp_perflog_start, xomp_perflog_stop, xomp_perflog_dump
  if (xomp_perflog_start('perflog_fortran.log') /= 0) error stop 1
  if (xomp_perflog_dump() /= 0) error stop 2
  if (xomp_perflog_stop() /= 0) error stop 3
end subroutine

program perflog_fortran
  use omp_lib
  use xomp_lib
  implicit none
  integer :: i, ran
  logical :: there
  if (len(xomp_version()) < 5 .or. scan(xomp_version(), '.') == 0) error stop 20
  if (xomp_perflog_stop() == 0) error stop 4
  call without_an_interface()
  inquire (file='perflog_fortran.log/.', exist=there)
  if (.not. there) error stop 5
  if (xomp_perflog_start('another_folder') == 0) error stop 6
  if (xomp_perflog_start() /= 0) error stop 7
  ran = 0
  !$omp parallel
  !$omp single
  do i = 1, 20
    !$omp task shared(ran)
    !$omp atomic
    ran = ran + 1
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (ran /= 20) error stop 8
  if (xomp_perflog_start('perflog_fortran.log ') == 0) error stop 9
  if (xomp_perflog_stop() /= 0) error stop 10
  if (xomp_perflog_start('perflog_fortran.log ') /= 0) error stop 11
  call execute_command_line('rm -r perflog_fortran.log')
end program
