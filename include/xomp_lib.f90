! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! What xomp offers beyond OpenMP, for Fortran: compile this file with the program, then `use xomp_lib`. See xomp.h.
module xomp_lib
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none

  interface
    type(c_ptr) function xomp_version_in() bind(C, name="xomp_version")
      use, intrinsic :: iso_c_binding, only: c_ptr
    end function

    integer(c_int) function omp_get_num_locality_domains() bind(C)
      use, intrinsic :: iso_c_binding, only: c_int
    end function

    integer(c_int) function omp_get_locality_domain_num() bind(C)
      use, intrinsic :: iso_c_binding, only: c_int
    end function

    subroutine omp_child_task_affinity(domain) bind(C)
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: domain
    end subroutine

    ! The log of XOMP_PERFLOG for a part of the run; without a folder as in xomp.h.
    integer(c_int) function xomp_perflog_start_in(folder) bind(C, name="xomp_perflog_start")
      use, intrinsic :: iso_c_binding, only: c_int, c_ptr
      type(c_ptr), value :: folder
    end function

    integer(c_int) function xomp_perflog_stop() bind(C)
      use, intrinsic :: iso_c_binding, only: c_int
    end function

    integer(c_int) function xomp_perflog_dump() bind(C)
      use, intrinsic :: iso_c_binding, only: c_int
    end function
  end interface

contains

  function xomp_version() result(version)
    use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_null_char
    character(:), allocatable :: version
    character(kind=c_char), pointer :: text(:)
    integer :: i

    call c_f_pointer(xomp_version_in(), text, [64])
    version = ""
    do i = 1, size(text)
      if (text(i) == c_null_char) exit
      version = version // text(i)
    end do
  end function

  integer(c_int) function xomp_perflog_start(folder)
    use, intrinsic :: iso_c_binding, only: c_char, c_int, c_loc, c_null_char, c_null_ptr
    character(*), intent(in), optional :: folder
    character(kind=c_char), allocatable, target :: terminated(:)
    integer :: i

    if (.not. present(folder)) then
      xomp_perflog_start = xomp_perflog_start_in(c_null_ptr)
      return
    end if
    allocate (terminated(len_trim(folder) + 1))
    do i = 1, len_trim(folder)
      terminated(i) = folder(i:i)
    end do
    terminated(size(terminated)) = c_null_char
    xomp_perflog_start = xomp_perflog_start_in(c_loc(terminated))
  end function
end module
