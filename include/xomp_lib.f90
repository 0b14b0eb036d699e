! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! What xomp offers beyond OpenMP, for Fortran: compile this file with the program, then `use xomp_lib`. See xomp.h.
module xomp_lib
  implicit none

  interface
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
  end interface
end module
