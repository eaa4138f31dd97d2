// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The program's objects as they move and end, and what it asks.
#include "fuzz/cpp_program.hpp"

namespace clpool::fuzz {

/// A part of memory reads as the memory does there, also when the whole goes first.
void CppProgram::part() {
  Known* const known = pick();
  if (known == nullptr) {
    return;
  }
  const std::size_t origin = std::size_t{input_.byte()} % 8 * 512;
  const std::size_t size = input_.byte() % 2 == 0 ? CLPOOL_WHOLE_SIZE : std::size_t{input_.byte()} * 16;
  Mem made;
  const clpool_status status =
      told([&](OnError error) { made = known->mem.sub_region(origin, size, 0, error); });
  require((status == CLPOOL_SUCCESS) == static_cast<bool>(made), "a part or an error");
  if (!made) {
    return;
  }
  const auto bytes = length({origin, size}, known->bytes.size());
  require(bytes.value_or(0) == made.size() && made.size() != 0, "a part within the memory");
  std::vector<unsigned char> host(made.size());
  made.read(context_.queue(), host.data(), host.size());
  require(std::equal(host.begin(), host.end(), known->bytes.begin() + static_cast<std::ptrdiff_t>(origin)),
          "a part reads as the whole");
  if (input_.byte() % 4 == 0) {
    known->bytes = std::move(host);
    known->mem = std::move(made);  // the whole lives on behind its part
  }
}

void CppProgram::move() {
  Known* const first = pick();
  Known* const second = pick();
  if (first == nullptr) {
    return;
  }
  switch (input_.byte() % 4) {
    case 0:
      std::swap(*first, *second);
      break;
    case 1: {
      Mem moved(std::move(first->mem));
      require(!first->mem && first->mem.size() == 0, "what was moved from is empty");
      first->mem = std::move(moved);
      break;
    }
    case 2: {
      Event moved(std::move(event_));
      require(!event_, "what was moved from is empty");
      event_ = std::move(moved);
      event_.wait();
      break;
    }
    default:
      pools_.push_back(pools_.front());
      pools_.erase(pools_.begin());
  }
}

void CppProgram::give_back() {
  Known* const known = pick();
  if (known == nullptr) {
    return;
  }
  Mem& mem = known->mem;
  const clpool_status status = [&] {
    switch (input_.byte() % 4) {
      case 0:
        return told([&](OnError error) {
          if (mem.try_release()) {
            error(CLPOOL_SUCCESS);
          } else {
            mem.release(error);
          }
        });
      case 1:
        return told([&](OnError error) { mem.release_later(error); });
      case 2: {
        const Mem shared = mem.share();
        require(shared == mem && shared.size() == mem.size(), "the same memory");
        return told([&](OnError error) { mem.release(error); });
      }
      default:
        return told([&](OnError error) { mem.release_on(on(), error); });
    }
  }();
  require((status == CLPOOL_SUCCESS) == !mem, "released or not");
  if (!mem) {
    known_.erase(known_.begin() + (known - known_.data()));
  }
}

void CppProgram::declare() {
  Known* const known = pick();
  if (known == nullptr) {
    return;
  }
  const bool is_pooled = known->mem.is_pooled();
  const clpool_status status = [&] {
    switch (input_.byte() % 5) {
      case 0:
        return told([&](OnError error) { known->mem.used_on(context_.queue(), error); });
      case 1:
        return told([&](OnError error) { known->mem.release_after({}, error); });
      case 2:
        return told([&](OnError error) { known->mem.set_tag(7, error); });
      case 3:
        return told([&](OnError error) { known->mem.bind_queue(context_.queue(), error); });
      default:
        return told([&](OnError error) { known->mem.unbind_queue(error); });
    }
  }();
  require(!is_pooled || status == CLPOOL_SUCCESS, "blocks of pools can be declared");
}

void CppProgram::ask_memory() {
  Known* const known = pick();
  if (known == nullptr) {
    return;
  }
  const Mem& mem = known->mem;
  const cl_uint name = input_.byte() < 200 ? CL_MEM_TYPE + input_.byte() % 16U : input_.two();
  const auto both = [&](auto&& action) {  // the two ways tell the same
    std::error_code code;
    action(OnError(code));
    const clpool_status status = thrown([&] { action(OnError()); });
    require(code.value() == status, "both ways tell the same");
    return status;
  };
  both([&](OnError error) { mem.info(name, error); });
  both([&](OnError error) { mem.info_as<std::size_t>(name, error); });
  require(both([&](OnError error) { mem.shape(error); }) == CLPOOL_ERROR_INVALID_OPERATION, "no image");
  require(both([&](OnError error) { mem.format(error); }) == CLPOOL_ERROR_INVALID_OPERATION, "no image");
  both([&](OnError error) { mem.host_memory(error); });
  both([&](OnError error) { mem.root(error); });
  require(mem.context() == context_.context() && mem.info(CL_MEM_SIZE) == known->bytes.size(), "questions");
  require(mem == mem && !(mem != mem) && !(Mem() == mem) && Mem() == Mem(), "equality");
  both([&](OnError error) { Mem().fill(context_.queue(), 1, {}, error); });
  both([&](OnError error) { Mem().sub_region(0, 1, 0, error); });
}

void CppProgram::ask_pool() {
  const Pool& pool = pools_[input_.below(pools_.size())];
  const std::uint8_t what = input_.byte();
  const clpool_status status = told([&](OnError error) {
    switch (what % 6) {
      case 0:
        return pool.free_held(error);
      case 1:
        return pool.trim(what * 1024U, error);
      case 2:
        return pool.tick(error);
      case 3:
        return what == 255 ? pool.stop_holding(error) : pool.check_books(error);
      default:
        return pool.check_books(error);
    }
  });
  require(status == CLPOOL_SUCCESS, clpool_last_error_message());
  const clpool_pool_stats stats = pool.statistics();
  std::uint64_t managed = 0;
  for (const clpool_pool_stretch& stretch : pool.stretches()) {
    managed += stretch.size;
  }
  require(managed == stats.managed_bytes, "the stretches are all of the memory");
  const std::string json = pool.dump_json();
  require(json.size() > 2 && json.front() == '{' && json.back() == '}', "a picture as JSON");
  require(told([&](OnError error) { Pool().statistics(error); }) == CLPOOL_ERROR_INVALID_VALUE, "no pool");
}

void CppProgram::image() {
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  options.format = {CL_RGBA, CL_UNSIGNED_INT8};
  options.dimensions = 2;
  options.shape[0] = input_.byte() % 33U;
  options.shape[1] = input_.byte() % 33U;
  Mem image;
  const clpool_status status =
      told([&](OnError error) { image = Mem::image(context_.context(), options, error); });
  require((status == CLPOOL_SUCCESS) == static_cast<bool>(image), "an image or an error");
  if (!image) {
    return;
  }
  require(image.shape() == std::vector<std::size_t>{options.shape[0], options.shape[1]}, "an image's shape");
  const std::uint32_t color[4] = {1, 2, 3, input_.byte()};
  const Triple all = {options.shape[0], options.shape[1], 1};
  image.fill_image(context_.queue(), color, {}, all);
  const Triple origin = {input_.byte() % 40U, input_.byte() % 40U, 0};
  const Triple region = {input_.byte() % 40U, input_.byte() % 40U, 1};
  std::vector<unsigned char> host(region[0] * region[1] * 4);
  const clpool_status read = told(
      [&](OnError error) { image.read_image(on(), origin, region, host.data(), host.size(), 0, 0, error); });
  const bool fits = origin[0] + region[0] <= all[0] && origin[1] + region[1] <= all[1];
  require(host.empty() || (read == CLPOOL_SUCCESS) == fits, "a read works within the image");
  if (read == CLPOOL_SUCCESS && fits) {
    for (std::size_t i = 0; i < host.size(); ++i) {
      require(host[i] == color[i % 4], "an image has its color");
    }
  }
  require(told([&](OnError error) { image.fill(on(), 1, {}, error); }) == CLPOOL_ERROR_INVALID_OPERATION,
          "an image is no buffer");
  told([&](OnError error) { item_size({input_.two(), input_.two()}, error); });
  require(!format_name({input_.two(), input_.two()}).empty(), "a format has a name");
}

void CppProgram::ask_device() {
  DeviceOptions options;
  options.selector = input_.text().c_str();
  options.ignore_environment = input_.byte() % 2 == 0;
  cl_device_id device = nullptr;
  const clpool_status status = thrown([&] { device = choose_device(options); });
  std::vector<cl_device_id> devices;
  require(thrown([&] { devices = list_devices(options); }) == status, "the list has the choice's status");
  if (status == CLPOOL_SUCCESS) {
    require(devices.front() == device && !describe_device(device).empty(), "the first is chosen");
  }
  const std::int64_t threads = input_.byte() * 16 - 16;
  const std::int64_t registers =
      input_.byte() < 240 ? input_.byte() : static_cast<std::int64_t>(input_.eight());
  thrown([&] {
    const DeviceData data = DeviceData::of_compute_capability(input_.byte() % 14, input_.byte() % 10);
    const DeviceData shared = DeviceData::of_limits(data.limits());
    const clpool_occupancy_request request = occupancy_request(threads, registers, input_.byte() * 1024);
    require(shared.occupancy(request).groups_per_mp == data.occupancy(request).groups_per_mp,
            "the same limits give the same");
    require(!data.suggest(request).empty(), "a suggestion");
  });
}

void CppProgram::memo() {
  const std::string key(input_.byte() % 4U, static_cast<char>(input_.byte()));
  const int value = input_.byte();
  const bool fails = value % 8 == 0;
  struct Failure {};
  const auto compute = [&]() -> int {
    if (fails) {
      throw Failure();
    }
    return value;
  };
  try {
    const auto first = memo_.get(context_.context(), key, compute);
    const auto second = memo_.get(context_.context(), key, [&]() -> int { std::abort(); });
    require(*first == *second, "a result is computed once");
    if (value % 4 == 1) {
      memo_.clear_object(context_.context());
      require(*first == *second, "what was handed out stays");
    }
  } catch (const Failure&) {
    require(fails, "the exception of the computation");
  }
  if (value % 16 == 2) {
    memo_.clear();
  }
}

}  // namespace clpool::fuzz
