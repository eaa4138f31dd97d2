// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// C++ layer over device.h, device_data.h, occupancy.h and memo.h: owning types, exceptions or error codes
// (clpool/error.hpp), containers. Header only, C++17; what the functions do is documented there.
#ifndef CLPOOL_DEVICE_HPP
#define CLPOOL_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "clpool/device.h"
#include "clpool/device_data.h"
#include "clpool/error.hpp"
#include "clpool/memo.h"
#include "clpool/occupancy.h"

namespace clpool {

/// Which device is wanted: see clpool_device_options.
struct DeviceOptions {
  std::string selector;      ///< empty: the environment decides
  cl_device_type types = 0;  ///< 0: any
  bool ignore_environment = false;
  bool by_rank = false;

  /// Valid as long as this object.
  clpool_device_options get() const noexcept {
    clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
    options.selector = selector.c_str();
    options.types = types;
    options.flags = (ignore_environment ? static_cast<uint32_t>(CLPOOL_DEVICE_IGNORE_ENVIRONMENT) : 0u) |
                    (by_rank ? static_cast<uint32_t>(CLPOOL_DEVICE_BY_RANK) : 0u);
    return options;
  }
};

inline cl_device_id choose_device(const DeviceOptions& options = {}, OnError error = {}) {
  const clpool_device_options c_options = options.get();
  cl_device_id device = nullptr;
  error(clpool_device_choose(&c_options, &device));
  return device;
}

/// All devices that choose_device() would consider, the chosen one first.
inline std::vector<cl_device_id> list_devices(const DeviceOptions& options = {}, OnError error = {}) {
  const clpool_device_options c_options = options.get();
  std::size_t count = 0;
  if (!error(clpool_device_list(&c_options, nullptr, 0, &count))) {
    return {};
  }
  std::vector<cl_device_id> devices(count);
  if (!error(clpool_device_list(&c_options, devices.data(), devices.size(), &count))) {
    return {};
  }
  devices.resize(count < devices.size() ? count : devices.size());
  return devices;
}

inline std::string describe_device(cl_device_id device, OnError error = {}) {
  return detail::text_of(error, [&](char* text, std::size_t capacity, std::size_t* needed) {
    return clpool_device_describe(device, text, capacity, needed);
  });
}

/// What a device is called and has.
inline clpool_device_facts device_facts(cl_device_id device, OnError error = {}) {
  clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
  error(clpool_device_read_facts(device, &facts));
  return facts;
}

/// One line to begin with: a device, a context with it alone, and an in-order queue, released with the
/// object.
class DefaultContext {
 public:
  explicit DefaultContext(const DeviceOptions& options = {}, OnError error = {}) {
    const clpool_device_options c_options = options.get();
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    error(clpool_context_create_default(&c_options, &device_, &context, &queue));
    context_.reset(context);
    queue_.reset(queue);
  }
  /// Takes over the caller's references.
  DefaultContext(cl_device_id device, cl_context context, cl_command_queue queue) noexcept
      : device_(device), context_(context), queue_(queue) {}
  cl_device_id device() const noexcept { return device_; }
  cl_context context() const noexcept { return context_.get(); }
  cl_command_queue queue() const noexcept { return queue_.get(); }

 private:
  struct Release {
    void operator()(cl_context context) const noexcept { clReleaseContext(context); }
    void operator()(cl_command_queue queue) const noexcept { clReleaseCommandQueue(queue); }
  };
  cl_device_id device_ = nullptr;
  std::unique_ptr<std::remove_pointer<cl_context>::type, Release> context_;
  std::unique_ptr<std::remove_pointer<cl_command_queue>::type, Release> queue_;
};

/// A kernel whose occupancy is asked for.
inline clpool_occupancy_request occupancy_request(int64_t threads, int64_t registers_per_thread = 0,
                                                  int64_t local_bytes = 0) noexcept {
  clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
  request.threads = threads;
  request.registers_per_thread = registers_per_thread;
  request.local_bytes = local_bytes;
  return request;
}

/// Limits of a multiprocessor; shared by copies.
class DeviceData {
 public:
  DeviceData() noexcept = default;
  static DeviceData of_device(cl_device_id device, uint32_t model = CLPOOL_MODEL_CURRENT,
                              OnError error = {}) {
    return made(error, clpool_device_data_create_from_device, device, model);
  }
  static DeviceData of_compute_capability(int32_t major, int32_t minor, uint32_t model = CLPOOL_MODEL_CURRENT,
                                          OnError error = {}) {
    return made(error, clpool_device_data_create_from_compute_capability, major, minor, model);
  }
  static DeviceData of_architecture(const std::string& name, uint32_t model = CLPOOL_MODEL_CURRENT,
                                    OnError error = {}) {
    return made(error, clpool_device_data_create_from_architecture, name.c_str(), model);
  }
  static DeviceData of_limits(const clpool_device_limits& limits, OnError error = {}) {
    return made(error, clpool_device_data_create_from_limits, &limits);
  }

  clpool_device_limits limits(OnError error = {}) const {
    clpool_device_limits limits = CLPOOL_DEVICE_LIMITS_INIT;
    error(clpool_device_data_limits(get(), &limits));
    return limits;
  }
  clpool_occupancy occupancy(const clpool_occupancy_request& request, OnError error = {}) const {
    clpool_occupancy occupancy = CLPOOL_OCCUPANCY_INIT;
    error(clpool_occupancy_compute(get(), &request, &occupancy));
    return occupancy;
  }
  /// The group sizes with the highest occupancy, ascending.
  std::vector<uint32_t> suggest(const clpool_occupancy_request& request, OnError error = {}) const {
    std::size_t count = 0;
    if (!error(clpool_occupancy_suggest(get(), &request, nullptr, 0, &count, nullptr))) {
      return {};
    }
    std::vector<uint32_t> sizes(count);
    error(clpool_occupancy_suggest(get(), &request, sizes.data(), sizes.size(), &count, nullptr));
    return sizes;
  }
  const clpool_device_data* get() const noexcept { return data_.get(); }
  explicit operator bool() const noexcept { return data_ != nullptr; }

 private:
  struct Release {
    void operator()(clpool_device_data* data) const noexcept { clpool_device_data_release(data); }
  };
  template <typename Function, typename... Arguments>
  static DeviceData made(OnError error, Function function, Arguments... arguments) {
    clpool_device_data* data = nullptr;
    DeviceData result;
    if (error(function(arguments..., &data))) {
      result.data_.reset(data, Release());
    }
    return result;
  }
  std::shared_ptr<clpool_device_data> data_;
};

/// Results of type T cached per OpenCL object. Values that were handed out outlive the clearing of the cache.
template <typename T>
class Memo {
 public:
  explicit Memo(OnError error = {}) {
    clpool_memo* memo = nullptr;
    error(clpool_memo_create(&memo));
    memo_.reset(memo);
  }

  /// The result for (object, key): the one that is kept, or what `compute()` gives now; null on failure. An exception of
  /// `compute` is thrown on, and nothing is kept.
  template <typename Compute>
  std::shared_ptr<const T> get(cl_context context, const std::string& key, Compute compute,
                               OnError error = {}) {
    return get(CLPOOL_MEMO_CONTEXT, context, key, compute, error);
  }
  template <typename Compute>
  std::shared_ptr<const T> get(cl_device_id device, const std::string& key, Compute compute,
                               OnError error = {}) {
    return get(CLPOOL_MEMO_DEVICE, device, key, compute, error);
  }
  template <typename Compute>
  std::shared_ptr<const T> get(cl_command_queue queue, const std::string& key, Compute compute,
                               OnError error = {}) {
    return get(CLPOOL_MEMO_QUEUE, queue, key, compute, error);
  }
  template <typename Compute>
  std::shared_ptr<const T> get(uint32_t kind, void* object, const std::string& key, Compute compute,
                               OnError error = {}) {
    struct Call {
      Compute& compute;
      std::exception_ptr exception;
    } call{compute, nullptr};
    clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
    ops.compute = [](void* user, void** result) -> clpool_status {
      auto* running = static_cast<Call*>(user);
      return detail::without_exceptions([&] { *result = new T(running->compute()); }, &running->exception)
                 ? CLPOOL_SUCCESS
                 : CLPOOL_ERROR_CALLBACK;
    };
    ops.destroy = [](void*, void* result) { delete static_cast<T*>(result); };
    clpool_memo_value* value = nullptr;
    const clpool_status status =
        clpool_memo_get(memo_.get(), kind, object, key.data(), key.size(), &ops, &call, &value);
    if (call.exception != nullptr) {
      std::rethrow_exception(call.exception);
    }
    if (!error(status)) {
      return nullptr;
    }
    return std::shared_ptr<const T>(static_cast<const T*>(clpool_memo_value_get(value)),
                                    [value](const T*) noexcept { clpool_memo_value_release(value); });
  }

  void clear(OnError error = {}) { error(clpool_memo_clear(memo_.get())); }
  void clear_object(void* object, OnError error = {}) {
    error(clpool_memo_clear_object(memo_.get(), object));
  }

 private:
  struct Release {
    void operator()(clpool_memo* memo) const noexcept { clpool_memo_release(memo); }
  };
  std::unique_ptr<clpool_memo, Release> memo_;
};

}  // namespace clpool

#endif
