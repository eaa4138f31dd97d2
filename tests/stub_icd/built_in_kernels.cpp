// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of the library's own tests and examples, by name; arguments tell those of one name apart.
#include <cstdint>
#include <cstring>
#include <map>

#include "kernels.hpp"

namespace stub {
namespace {

const stub_arg& arg(const stub_launch* launch, std::size_t i) {
  return launch->args[i];
}

template <typename T>
T value(const stub_launch* launch, std::size_t i) {
  T result;
  std::memcpy(&result, arg(launch, i).data, sizeof result);
  return result;
}

template <typename T>
T* memory(const stub_launch* launch, std::size_t i) {
  return static_cast<T*>(arg(launch, i).data);
}

/// Calls f(index) for every item of a launch in one dimension.
template <typename F>
void for_each_item(const stub_launch* launch, F&& f) {
  for (std::size_t i = 0; i < launch->global[0]; ++i) {
    f(launch->offset[0] + i);
  }
}

bool is_of(const stub_arg& a, const char* type) {
  return std::strstr(a.type, type) != nullptr;
}

void nothing(const stub_launch*) {}

void set_zero(const stub_launch* launch) {
  if (launch->arg_count == 1 && arg(launch, 0).kind == STUB_GLOBAL) {
    for_each_item(launch, [=](std::size_t i) { memory<float>(launch, 0)[i] = 0; });
  }
}

void twice(const stub_launch* launch) {
  for_each_item(launch, [=](std::size_t i) {
    if (is_of(arg(launch, 0), "int")) {
      memory<cl_int>(launch, 0)[i] *= 2;
    } else {
      memory<float>(launch, 0)[i] *= 2;
    }
  });
}

void saxpy(const stub_launch* launch) {
  const auto a = value<float>(launch, 0);
  for_each_item(launch, [=](std::size_t i) {
    memory<float>(launch, 2)[i] = a * memory<float>(launch, 1)[i] + memory<float>(launch, 2)[i];
  });
}

/// a[i] = (i * 7 + shift) % n
void iota(const stub_launch* launch) {
  const auto n = value<cl_int>(launch, 1);
  const auto shift = value<cl_int>(launch, 2);
  for_each_item(launch, [=](std::size_t i) {
    memory<cl_int>(launch, 0)[i] = (static_cast<cl_int>(i) * 7 + shift) % n;
  });
}

/// out[i] = in[index[i]] + 19, the sum that the source's loop makes
void take(const stub_launch* launch) {
  for_each_item(launch, [=](std::size_t i) {
    memory<cl_int>(launch, 0)[i] = memory<cl_int>(launch, 1)[memory<cl_int>(launch, 2)[i]] + 19;
  });
}

/// Adds up a list whose nodes are SVM.
void sum(const stub_launch* launch) {
  struct Node {
    const Node* next;
    cl_int value;
  };
  cl_int total = 0;
  for (const Node* node = memory<const Node>(launch, 0); node != nullptr; node = node->next) {
    total += node->value;
  }
  *memory<cl_int>(launch, 1) = total;
}

const unsigned char* pixel(const stub_arg& image, std::size_t x, std::size_t y, std::size_t z,
                           std::size_t bytes) {
  return static_cast<const unsigned char*>(image.data) + z * image.slice_pitch + y * image.row_pitch +
         x * bytes;
}

/// From a float image of one channel into rows, from a float4 image in 3-D with its axes turned round, or
/// from memory.
void copy(const stub_launch* launch) {
  const stub_arg& from = arg(launch, 0);
  const std::size_t* const global = launch->global;
  if (from.kind != STUB_IMAGE_ARG) {
    for_each_item(launch, [=](std::size_t i) { memory<float>(launch, 1)[i] = memory<float>(launch, 0)[i]; });
    return;
  }
  float* const out = memory<float>(launch, 2);
  for (std::size_t x = 0; x < global[0]; ++x) {
    for (std::size_t y = 0; y < global[1]; ++y) {
      if (is_of(from, "image2d_t")) {
        std::memcpy(out + y * global[0] + x, pixel(from, x, y, 0, 4), 4);
        continue;
      }
      for (std::size_t z = 0; z < global[2]; ++z) {
        std::memcpy(out + ((x * global[1] + y) * global[2] + z) * 4, pixel(from, z, y, x, 16), 16);
      }
    }
  }
}

}  // namespace

stub_kernel_function find_built_in(const std::string& name) {
  static const auto& functions = *new std::map<std::string, stub_kernel_function>{
      {"probe", set_zero}, {"f", nothing}, {"with_local", nothing}, {"work", nothing}, {"twice", twice},
      {"saxpy", saxpy},    {"iota", iota}, {"take", take},          {"sum", sum},      {"copy", copy},
  };
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

}  // namespace stub
