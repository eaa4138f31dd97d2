// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "transcripts/place.hpp"

namespace clpool::transcripts {

Place::Place(const std::string& options) : stub(options.c_str()) {
  device = fuzz::stub_device();
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  queue = clCreateCommandQueue(context, device, 0, nullptr);
  out_of_order = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, nullptr);
}

Place::~Place() {
  for (int i = 0; i < 4; ++i) {
    fuzz::call_later();
  }
  if (out_of_order != nullptr) {
    clReleaseCommandQueue(out_of_order);
  }
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

std::uint64_t sum_of(const unsigned char* bytes, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum = sum * 0x100000001b3 + bytes[i];
  }
  return sum;
}

std::string content_of(const Mem& mem) {
  const auto* const bytes =
      mem.pointer() != nullptr ? static_cast<const unsigned char*>(mem.pointer()) : stub_memory(mem.handle());
  return ' ' + std::to_string(sum_of(bytes, mem.size()));
}

void fill_by_number(std::vector<unsigned char>& bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(i * 37 + i / 256);
  }
}

}  // namespace clpool::transcripts
