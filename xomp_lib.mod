!mod$ v1 sum:8d4dbd1ff53be70b
!need$ 554180c599dc39f3 i iso_c_binding
module xomp_lib
use,intrinsic::iso_c_binding,only:c_int
interface
function xomp_version_in() bind(c,name="xomp_version")
use,intrinsic::iso_c_binding,only:c_ptr
type(c_ptr)::xomp_version_in
end
end interface
interface
function omp_get_num_locality_domains() bind(c)
integer(4)::omp_get_num_locality_domains
end
end interface
interface
function omp_get_locality_domain_num() bind(c)
integer(4)::omp_get_locality_domain_num
end
end interface
interface
subroutine omp_child_task_affinity(domain) bind(c)
integer(4),value::domain
end
end interface
interface
function xomp_perflog_start_in(folder) bind(c,name="xomp_perflog_start")
use,intrinsic::iso_c_binding,only:c_ptr
type(c_ptr),value::folder
integer(4)::xomp_perflog_start_in
end
end interface
interface
function xomp_perflog_stop() bind(c)
integer(4)::xomp_perflog_stop
end
end interface
interface
function xomp_perflog_dump() bind(c)
integer(4)::xomp_perflog_dump
end
end interface
contains
function xomp_version() result(version)
character(:,1),allocatable::version
end
function xomp_perflog_start(folder)
character(*,1),intent(in),optional::folder
integer(4)::xomp_perflog_start
end
end
