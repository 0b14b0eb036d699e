// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locality domains (paper 3, section 5): processors and the memory next to them, that is, the NUMA
// nodes of the machine or of the description in XOMP_TOPOLOGY. Numbered from 0. The machine is
// asked once, at the first question: one small file where there is one node.
#pragma once

namespace xomp {

/// At least 1.
int domain_count();
/// Of a place of the place list: that of its first processor.
int domain_of_place(int place);
/// Of a worker that is not bound: the workers of a team stand in the domains in blocks of equal
/// size, which is where threads stand that are bound one by one.
int domain_of_worker(int worker, int workers);
/// How far memory is: 10 from a domain to itself, more to others (ACPI's relative distances).
int domain_distance(int from, int to);

} // namespace xomp
