// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// C++ layer over the formats of image.h and over sampler.h. Images themselves are clpool::Mem. Header only,
// C++17.
#ifndef CLPOOL_IMAGE_HPP
#define CLPOOL_IMAGE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "clpool/error.hpp"
#include "clpool/image.h"
#include "clpool/sampler.h"

namespace clpool {

inline uint32_t channel_count(cl_channel_order order, OnError error = {}) {
  uint32_t count = 0;
  error(clpool_image_channel_count(order, &count));
  return count;
}

inline std::size_t channel_size(cl_channel_type type, OnError error = {}) {
  std::size_t bytes = 0;
  error(clpool_image_channel_size(type, &bytes));
  return bytes;
}

inline std::size_t item_size(const cl_image_format& format, OnError error = {}) {
  std::size_t bytes = 0;
  error(clpool_image_item_size(&format, &bytes));
  return bytes;
}

/// "CL_RGBA CL_UNORM_INT8"; unknown numbers in hexadecimal.
inline std::string format_name(const cl_image_format& format) {
  const auto text = [](const char* name, cl_uint number) {
    if (name != nullptr) {
      return std::string(name);
    }
    std::string digits;
    do {
      digits.insert(digits.begin(), "0123456789ABCDEF"[number % 16]);
      number /= 16;
    } while (number != 0);
    return "0x" + digits;
  };
  return text(clpool_image_channel_order_name(format.image_channel_order), format.image_channel_order) + " " +
         text(clpool_image_channel_type_name(format.image_channel_data_type), format.image_channel_data_type);
}

inline std::vector<cl_image_format> supported_image_formats(cl_context context, cl_mem_flags flags,
                                                            cl_mem_object_type type, OnError error = {}) {
  std::size_t count = 0;
  std::vector<cl_image_format> formats;
  if (error(clpool_image_formats(context, flags, type, nullptr, 0, &count))) {
    formats.resize(count);
    error(clpool_image_formats(context, flags, type, formats.data(), count, &count));
  }
  return formats;
}

/// One reference on a cl_sampler.
class Sampler {
 public:
  Sampler() noexcept = default;
  Sampler(cl_context context, bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
          OnError error = {}) {
    error(clpool_sampler_create(context, normalized ? 1 : 0, addressing, filter, &sampler_));
  }
  /// Pairs of name and value, ended by 0.
  Sampler(cl_context context, const std::vector<cl_bitfield>& properties, OnError error = {}) {
    error(clpool_sampler_create_with_properties(context, properties.empty() ? nullptr : properties.data(),
                                                &sampler_));
  }
  Sampler(Sampler&& other) noexcept : sampler_(std::exchange(other.sampler_, nullptr)) {}
  Sampler& operator=(Sampler&& other) noexcept {
    Sampler moved(std::move(other));
    std::swap(sampler_, moved.sampler_);
    return *this;
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler() {
    if (sampler_ != nullptr) {
      clReleaseSampler(sampler_);
    }
  }
  cl_sampler get() const noexcept { return sampler_; }
  explicit operator bool() const noexcept { return sampler_ != nullptr; }

 private:
  cl_sampler sampler_ = nullptr;
};

}  // namespace clpool

#endif
