// Calls of the user's functions and the meaning of what they return.
#include "allocator/custom.hpp"

namespace clpool::core {
namespace {

/// Parts of chunks of memory that nothing is known of: a multiple of what GPUs and SIMD types ask for.
constexpr std::uint64_t custom_granularity = 256;

class CustomAllocator final : public Allocator {
 public:
  CustomAllocator(const AllocatorTraits& traits, const CustomFunctions& functions)
      : Allocator(traits), functions_(functions) {}
  CustomAllocator(const CustomAllocator&) = delete;
  CustomAllocator& operator=(const CustomAllocator&) = delete;
  ~CustomAllocator() override {
    if (functions_.destroy != nullptr) {
      functions_.destroy(functions_.user);
    }
  }

  Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept override {
    if (size == 0) {
      return fail(Status::invalid_value, "a chunk of 0 bytes was asked for, the least is 1");
    }
    std::uint64_t value = 0;
    const std::int32_t code = functions_.allocate(functions_.user, size, alignment, &value);
    if (code < 0) {  // an OpenCL code
      return fail_cl(code, "custom allocator", "%llu bytes", static_cast<unsigned long long>(size));
    }
    if (code == static_cast<std::int32_t>(Status::out_of_memory)) {
      return fail(Status::out_of_memory, "the custom allocator has no %llu bytes",
                  static_cast<unsigned long long>(size));
    }
    if (code != 0) {
      return fail(Status::callback, "the custom allocator failed with status %d for %llu bytes", code,
                  static_cast<unsigned long long>(size));
    }
    if (value == 0) {
      return fail(Status::callback, "the custom allocator reported success but chunk 0 for %llu bytes",
                  static_cast<unsigned long long>(size));
    }
    chunk = Chunk{value, size, nullptr};
    return Status::success;
  }

  void deallocate(const Chunk& chunk) noexcept override {
    functions_.deallocate(functions_.user, chunk.value, chunk.size);
  }

 private:
  CustomFunctions functions_;
};

}  // namespace

Status make_custom_allocator(const CustomFunctions& functions, Reference<Allocator>& result) {
  if (functions.allocate == nullptr || functions.deallocate == nullptr) {
    return fail(Status::invalid_value, "a custom allocator needs allocate and deallocate, %s is NULL",
                functions.allocate == nullptr ? "allocate" : "deallocate");
  }
  AllocatorTraits traits;  // of the kind `custom`
  traits.granularity = custom_granularity;
  result = Reference<Allocator>::adopt(new CustomAllocator(traits, functions));
  return Status::success;
}

}  // namespace clpool::core
