// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interoperability objects, device identities. There is no foreign runtime and no device: every
// object is omp_interop_none and has no properties.
#include <cstdint>
#include <cstring>
#include <string_view>

#include "abi/export.h"
#include "abi/omp/fortran.h"
#include "abi/omp/versions.h"
#include "target/host.h"

using xomp::return_string;

namespace {

enum InteropResult : int { // omp_interop_rc_t
  kNoValue = 1,
  kSuccess = 0,
  kEmpty = -1,
  kOutOfRange = -2,
  kTypeInt = -3,
  kTypePointer = -4,
  kTypeString = -5,
  kOther = -6,
};

constexpr int kFirstProperty = -9; // omp_ipr_first; the last is omp_ipr_fr_id, -1
constexpr const char* kPropertyNames[] = {
    "fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
    "platform", "device",  "device_context", "targetsync",
};

bool is_property(int property) { return property >= kFirstProperty && property < 0; }

void answer_empty(int property, int* result) {
  if (result)
    *result = is_property(property) ? kEmpty : kOutOfRange;
}

const char* property_name(int property) {
  return is_property(property) ? kPropertyNames[-1 - property] : nullptr;
}

const char* describe(int result) {
  switch (result) {
  case kNoValue:
    return "the property has no value here";
  case kSuccess:
    return "success";
  case kEmpty:
    return "the interop object is omp_interop_none";
  case kOutOfRange:
    return "no such property";
  case kTypeInt:
    return "the property is an integer: use omp_get_interop_int";
  case kTypePointer:
    return "the property is a pointer: use omp_get_interop_ptr";
  case kTypeString:
    return "the property is a string: use omp_get_interop_str";
  case kOther:
    return "some other error";
  default:
    return nullptr;
  }
}

constexpr char kHostUid[] = "OMP_INITIAL_DEVICE";

int device_from_uid(std::string_view uid) {
  return uid == kHostUid ? xomp::kHostDevice : xomp::kInvalidDevice;
}

const char* uid_from_device(int device) {
  return xomp::is_host_device(device) ? kHostUid : nullptr;
}

} // namespace

XOMP_EXPORT int omp_get_num_interop_properties(uintptr_t) { return 0; }

XOMP_EXPORT intptr_t omp_get_interop_int(uintptr_t, int property, int* result) {
  answer_empty(property, result);
  return 0;
}
XOMP_EXPORT void* omp_get_interop_ptr(uintptr_t, int property, int* result) {
  answer_empty(property, result);
  return nullptr;
}
XOMP_EXPORT const char* omp_get_interop_str(uintptr_t, int property, int* result) {
  answer_empty(property, result);
  return nullptr;
}
XOMP_EXPORT void omp_get_interop_str_(const char** text, std::size_t* length, uintptr_t,
                                      int property, int* result) {
  answer_empty(property, result);
  return_string(text, length, nullptr);
}
XOMP_EXPORT const char* omp_get_interop_name(uintptr_t, int property) {
  return property_name(property);
}
XOMP_EXPORT void omp_get_interop_name_(const char** text, std::size_t* length, uintptr_t,
                                       int property) {
  return_string(text, length, property_name(property));
}
XOMP_EXPORT const char* omp_get_interop_type_desc(uintptr_t, int) { return nullptr; }
XOMP_EXPORT void omp_get_interop_type_desc_(const char** text, std::size_t* length, uintptr_t,
                                            int) {
  return_string(text, length, nullptr);
}
XOMP_EXPORT const char* omp_get_interop_rc_desc(uintptr_t, int result) { return describe(result); }
XOMP_EXPORT void omp_get_interop_rc_desc_(const char** text, std::size_t* length, uintptr_t,
                                          int result) {
  return_string(text, length, describe(result));
}

// What Fortran of LLVM and Intel calls, by reference; libgomp's binds to the names of C.
XOMP_EXPORT int omp_get_num_interop_properties_(const uintptr_t*) { return 0; }
XOMP_EXPORT intptr_t omp_get_interop_int_(const uintptr_t* interop, const int* property,
                                          int* result) {
  return omp_get_interop_int(*interop, *property, result);
}
XOMP_EXPORT void* omp_get_interop_ptr_(const uintptr_t* interop, const int* property, int* result) {
  return omp_get_interop_ptr(*interop, *property, result);
}

XOMP_EXPORT int omp_get_device_from_uid(const char* uid) {
  return uid ? device_from_uid(uid) : xomp::kInvalidDevice;
}
XOMP_EXPORT int omp_get_device_from_uid_(const char* uid, std::size_t length) {
  return device_from_uid({uid, length});
}
XOMP_EXPORT const char* omp_get_uid_from_device(int device) { return uid_from_device(device); }
XOMP_EXPORT void omp_get_uid_from_device_(const char** text, std::size_t* length, int device) {
  return_string(text, length, uid_from_device(device));
}
XOMP_EXPORT void omp_get_uid_from_device_8_(const char** text, std::size_t* length,
                                            int64_t device) {
  return_string(text, length, uid_from_device(xomp::to_int(device)));
}

XOMP_ALSO_VERSION(GOMP_5.1.3, omp_get_interop_int, omp_get_interop_name, omp_get_interop_name_,
                  omp_get_interop_ptr, omp_get_interop_rc_desc, omp_get_interop_rc_desc_,
                  omp_get_interop_str, omp_get_interop_str_, omp_get_interop_type_desc,
                  omp_get_interop_type_desc_, omp_get_num_interop_properties);
// LLVM 22 has them for C; what its Fortran programs call is not known.
XOMP_ALSO_VERSION(GOMP_6.0, omp_get_device_from_uid, omp_get_uid_from_device);
