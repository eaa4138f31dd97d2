// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Answers of the clGet…Info functions.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "state.hpp"

namespace stub {

/// Where an answer goes; each give() refuses with CL_INVALID_VALUE what does not fit.
class Answer {
 public:
  Answer(std::size_t size, void* value, std::size_t* needed) : size_(size), value_(value), needed_(needed) {}

  void bytes(const void* data, std::size_t size) const {
    require(value_ == nullptr || size_ >= size, CL_INVALID_VALUE);
    if (value_ != nullptr && size != 0) {
      std::memcpy(value_, data, size);
    }
    if (needed_ != nullptr) {
      *needed_ = size;
    }
  }
  template <typename T>
  void value(T answer) const {
    bytes(&answer, sizeof answer);
  }
  void text(const std::string& answer) const { bytes(answer.c_str(), answer.size() + 1); }
  template <typename T>
  void list(const std::vector<T>& answer) const {
    bytes(answer.data(), answer.size() * sizeof(T));
  }

 private:
  std::size_t size_;
  void* value_;
  std::size_t* needed_;
};

/// Of clGet…IDs: `found` into an array of `size` that may be missing.
template <typename T>
void give_ids(const std::vector<T>& found, cl_uint size, T* ids, cl_uint* count) {
  require((ids == nullptr) == (size == 0) && (ids != nullptr || count != nullptr), CL_INVALID_VALUE);
  if (ids != nullptr) {
    std::copy_n(found.begin(), std::min<std::size_t>(size, found.size()), ids);
  }
  if (count != nullptr) {
    *count = static_cast<cl_uint>(found.size());
  }
}

/// The list of properties that ends with 0, or nothing.
template <typename T>
std::vector<T> property_list(const T* properties) {
  std::vector<T> list;
  if (properties != nullptr) {
    for (; *properties != 0; properties += 2) {
      list.insert(list.end(), {properties[0], properties[1]});
    }
    list.push_back(0);
  }
  return list;
}

}  // namespace stub
