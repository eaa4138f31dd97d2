// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// C++ layer over characterize.h and bank.h, with PyOpenCL's names: clpool::characterize::simd_group_size(device).
// Exceptions or error codes (clpool/error.hpp). Header only, C++17; what the functions do is documented there.
#ifndef CLPOOL_CHARACTERIZE_HPP
#define CLPOOL_CHARACTERIZE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "clpool/bank.h"
#include "clpool/characterize.h"
#include "clpool/error.hpp"

namespace clpool {
namespace detail {

template <typename Question, typename... Arguments>
clpool_answer ask(OnError error, Question question, Arguments... arguments) {
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  error(question(arguments..., &answer));
  return answer;
}

}  // namespace detail

/// Bank conflicts, and in words where they are.
struct BankConflicts {
  uint64_t multiplicity = 0;  ///< accesses that are served one after another; 1: no conflict
  std::string text;
};

/// An array of `shape` in local memory; `stored_shape`: with its padding, empty: the same.
inline BankConflicts bank_conflicts(std::size_t item_size, const std::vector<std::size_t>& shape,
                                    const std::vector<std::size_t>& stored_shape = {},
                                    const clpool_bank_memory& memory = CLPOOL_BANK_MEMORY_INIT,
                                    OnError error = {}) {
  BankConflicts found;
  found.text = detail::text_of(error, [&](char* text, std::size_t capacity, std::size_t* needed) {
    return clpool_bank_conflicts(&memory, item_size, shape.data(), shape.size(),
                                 stored_shape.empty() ? nullptr : stored_shape.data(), stored_shape.size(),
                                 &found.multiplicity, text, capacity, needed);
  });
  return found;
}

namespace characterize {

inline std::string fast_build_options(cl_device_id device, uint32_t model = CLPOOL_MODEL_CURRENT,
                                      OnError error = {}) {
  return detail::text_of(error, [&](char* text, std::size_t capacity, std::size_t* needed) {
    return clpool_characterize_fast_build_options(device, model, text, capacity, needed);
  });
}
inline clpool_answer amd_double_support(cl_device_id device, OnError error = {}) {
  return detail::ask(error, clpool_characterize_amd_double_support, device);
}
inline clpool_answer double_support(cl_device_id device, uint32_t model = CLPOOL_MODEL_CURRENT,
                                    OnError error = {}) {
  return detail::ask(error, clpool_characterize_double_support, device, model);
}
inline clpool_answer local_access_granularity(cl_device_id device, uint32_t model = CLPOOL_MODEL_CURRENT,
                                              OnError error = {}) {
  return detail::ask(error, clpool_characterize_local_access_granularity, device, model);
}
inline clpool_answer local_access_work_items(cl_device_id device, uint32_t model = CLPOOL_MODEL_CURRENT,
                                             OnError error = {}) {
  return detail::ask(error, clpool_characterize_local_access_work_items, device, model);
}
inline clpool_answer local_bank_count(cl_device_id device, uint32_t model = CLPOOL_MODEL_CURRENT,
                                      OnError error = {}) {
  return detail::ask(error, clpool_characterize_local_bank_count, device, model);
}
inline clpool_answer simd_group_size(cl_device_id device, uint32_t model = CLPOOL_MODEL_CURRENT,
                                     OnError error = {}) {
  return detail::ask(error, clpool_characterize_simd_group_size, device, model);
}
inline clpool_answer simd_group_size_of_kernel(cl_device_id device, cl_kernel kernel, OnError error = {}) {
  return detail::ask(error, clpool_characterize_simd_group_size_of_kernel, device, kernel);
}
/// Ascending.
inline std::vector<uint32_t> simd_group_sizes(cl_device_id device, OnError error = {}) {
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  std::size_t count = 0;
  if (!error(clpool_characterize_simd_group_sizes(device, nullptr, 0, &count, &answer))) {
    return {};
  }
  std::vector<uint32_t> sizes(count);
  error(clpool_characterize_simd_group_sizes(device, sizes.data(), sizes.size(), &count, &answer));
  return sizes;
}
inline clpool_answer source_build_cache(cl_device_id device, OnError error = {}) {
  return detail::ask(error, clpool_characterize_source_build_cache, device);
}
inline clpool_answer sub_groups(cl_device_id device, OnError error = {}) {
  return detail::ask(error, clpool_characterize_sub_groups, device);
}
inline clpool_answer work_group_size_multiple(cl_device_id device, cl_context context = nullptr,
                                              uint32_t model = CLPOOL_MODEL_CURRENT, OnError error = {}) {
  return detail::ask(error, clpool_characterize_work_group_size_multiple, device, context, model);
}
inline clpool_answer struct_argument_bug(cl_device_id device, cl_context context = nullptr,
                                         OnError error = {}) {
  return detail::ask(error, clpool_characterize_struct_argument_bug, device, context);
}
/// `kind`: one of CLPOOL_SVM_KIND_….
inline clpool_answer svm(cl_device_id device, uint32_t kind, uint32_t model = CLPOOL_MODEL_CURRENT,
                         OnError error = {}) {
  return detail::ask(error, clpool_characterize_svm, device, kind, model);
}
inline clpool_answer usable_local_memory(cl_device_id device, int32_t argument_count = -1,
                                         OnError error = {}) {
  return detail::ask(error, clpool_characterize_usable_local_memory, device, argument_count);
}
inline clpool_answer usable_local_memory_of_kernel(cl_device_id device, cl_kernel kernel,
                                                   OnError error = {}) {
  return detail::ask(error, clpool_characterize_usable_local_memory_of_kernel, device, kernel);
}

/// Both 0 where the answer's source is CLPOOL_SOURCE_NONE or CLPOOL_SOURCE_NOT_APPLICABLE.
struct Version {
  uint32_t major = 0;
  uint32_t minor = 0;
  clpool_answer answer = CLPOOL_ANSWER_INIT;
};
inline Version compute_capability(cl_device_id device, OnError error = {}) {
  Version version;
  error(clpool_characterize_compute_capability(device, &version.major, &version.minor, &version.answer));
  return version;
}
inline Version pocl_version(cl_platform_id platform, OnError error = {}) {
  Version version;
  error(clpool_characterize_pocl_version(platform, &version.major, &version.minor, &version.answer));
  return version;
}

/// bank_conflicts() with the device's figures.
inline BankConflicts local_access_conflicts(cl_device_id device, std::size_t item_size,
                                            const std::vector<std::size_t>& shape,
                                            const std::vector<std::size_t>& stored_shape = {},
                                            uint32_t model = CLPOOL_MODEL_CURRENT, OnError error = {}) {
  BankConflicts found;
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  found.text = detail::text_of(error, [&](char* text, std::size_t capacity, std::size_t* needed) {
    return clpool_characterize_local_access_conflicts(device, model, item_size, shape.data(), shape.size(),
                                                      stored_shape.empty() ? nullptr : stored_shape.data(),
                                                      stored_shape.size(), &answer, text, capacity, needed);
  });
  found.multiplicity = static_cast<uint64_t>(answer.value);
  return found;
}

inline clpool_performance performance(
    cl_context context, cl_device_id device,
    const clpool_performance_options& options = CLPOOL_PERFORMANCE_OPTIONS_INIT, OnError error = {}) {
  clpool_performance found = CLPOOL_PERFORMANCE_INIT;
  error(clpool_characterize_performance(context, device, &options, &found));
  return found;
}

}  // namespace characterize
}  // namespace clpool

#endif
