// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The program's objects and commands.
#include "fuzz/cpp_program.hpp"

namespace clpool::fuzz {
namespace {

constexpr std::size_t most_objects = 12;
constexpr std::size_t largest_alignment = 4096;

/// A source of chunks that may be out of memory or fail.
class Chunks final : public Source {
 public:
  uint64_t allocate(uint64_t size, uint64_t alignment) override {
    if (size > 1U << 20 || alignment > largest_alignment) {
      throw std::bad_alloc();
    }
    if (++calls_ % 16 == 0) {
      throw std::runtime_error("no chunk today");
    }
    return reinterpret_cast<std::uintptr_t>(::operator new(size, std::align_val_t(largest_alignment)));
  }
  void deallocate(uint64_t chunk, uint64_t) noexcept override {
    ::operator delete(reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk)),
                      std::align_val_t(largest_alignment));
  }

 private:
  unsigned calls_ = 0;
};

DeviceOptions first_device() {
  DeviceOptions options;
  options.selector = "0:0";
  return options;
}

}  // namespace

CppProgram::CppProgram(Input& input)
    : input_(input),
      stub_(input.byte() % 4 == 3 ? "mode=immediate,devices=2,nvidia=1,align=512,limit=16M,max_alloc=4M"
                                  : "mode=immediate,devices=2,limit=16M,max_alloc=4M"),
      context_(first_device()) {
  allocators_.push_back(Allocator::immediate(context_.queue()));
  pools_.push_back(Pool(allocators_[0]));
}

void CppProgram::run(Input& input, const std::function<void()>& told) {
  CppProgram program(input);
  while (!input.empty()) {
    program.step();
    if (told) {
      told();
    }
  }
  program.known_.clear();
  program.pools_.clear();
  call_later();
}

void CppProgram::step() {
  using Operation = void (CppProgram::*)();
  constexpr Operation operations[] = {
      &CppProgram::make_memory, &CppProgram::make_memory, &CppProgram::make_pool, &CppProgram::fill,
      &CppProgram::write,       &CppProgram::read,        &CppProgram::copy,      &CppProgram::map,
      &CppProgram::part,        &CppProgram::move,        &CppProgram::give_back, &CppProgram::declare,
      &CppProgram::ask_memory,  &CppProgram::ask_pool,    &CppProgram::image,     &CppProgram::ask_device,
      &CppProgram::memo,        &CppProgram::read};
  (this->*operations[input_.below(std::size(operations))])();
}

Range CppProgram::range() {
  const std::uint8_t choice = input_.byte();
  const std::size_t offset = choice < 224 ? choice % 32 * 16U : input_.eight();
  const std::size_t size = choice % 3 == 0 ? CLPOOL_WHOLE_SIZE : std::size_t{input_.byte()} * 16;
  return {offset, size};
}

std::optional<std::size_t> CppProgram::length(const Range& range, std::size_t size) {
  if (range.offset > size) {
    return std::nullopt;
  }
  const std::size_t left = size - range.offset;
  if (range.size == CLPOOL_WHOLE_SIZE) {
    return left;
  }
  return range.size <= left ? std::optional<std::size_t>(range.size) : std::nullopt;
}

On CppProgram::on() {
  On on(context_.queue());
  if (event_ && input_.byte() % 2 == 0) {
    on.after(event_);
  } else if (input_.byte() % 4 == 0) {
    on.signal(event_);
  }
  return input_.byte() % 4 == 0 ? on.without_blocking() : on;
}

void CppProgram::keep(Mem mem) {
  if (!mem || known_.size() >= most_objects) {
    return;
  }
  Known known{std::move(mem), {}};
  known.bytes.assign(known.mem.size(), 0);
  if (!known.bytes.empty() && known.mem.kind() != CLPOOL_MEM_KIND_CUSTOM &&
      known.mem.kind() != CLPOOL_MEM_KIND_PINNED) {
    known.mem.write(context_.queue(), known.bytes.data(), known.bytes.size());
    known_.push_back(std::move(known));
  }
}

void CppProgram::make_memory() {
  const std::uint8_t how = input_.byte();
  const std::size_t size = input_.byte() < 250 ? input_.two() % 2048 * 16U : input_.eight();
  const Pool& pool = pools_[how / 16 % pools_.size()];
  const Allocator& allocator = allocators_[how / 16 % allocators_.size()];
  Mem mem;
  const clpool_status status = told([&](OnError error) {
    switch (how % 6) {
      case 0:
        mem = Mem::buffer(context_.context(), size, 0, error);
        break;
      case 1:
        mem = Mem::svm(context_.context(), size, how / 16 % 2 * CL_MEM_SVM_FINE_GRAIN_BUFFER, 0, nullptr,
                       error);
        break;
      case 2:
        mem = allocator.allocate(size, error);
        break;
      case 3:
        mem = pool.try_allocate(size, error);
        break;
      case 4:
        mem = pool.allocate_on(context_.queue(), size, error);
        break;
      default:
        mem = pool.allocate(size, error);
    }
  });
  require(status == CLPOOL_SUCCESS || !mem, "no memory of a failure");
  require(status != CLPOOL_SUCCESS || size == 0 || how % 6 == 3 || mem, "memory of a success");
  require(!mem || mem.size() == size, "memory of the size");
  keep(std::move(mem));
}

void CppProgram::make_pool() {
  const std::uint8_t how = input_.byte();
  if (allocators_.size() >= most_objects || pools_.size() >= most_objects) {
    pools_.erase(pools_.begin());
    allocators_.erase(allocators_.begin() + 1);
    return;
  }
  Allocator made;
  const clpool_status status = told([&](OnError error) {
    switch (how % 8) {
      case 0:
        made = Allocator::deferred(context_.context(), 0, error);
        break;
      case 1:
        made = Allocator::svm(context_.context(), 0, how, how % 16 < 8 ? context_.queue() : nullptr, error);
        break;
      case 2:
        made = Allocator::pinned(context_.queue(), 0, error);
        break;
      case 3:
        made = Allocator::custom(std::make_unique<Chunks>(), error);
        break;
      case 4:
        made = Allocator::limit(allocators_.back(), std::uint64_t{how} << 8, error);
        break;
      case 5:
        made = Allocator::trace(allocators_.back(), "/dev/null", error);
        break;
      case 6:
        made = Allocator::limit(Allocator(), 1, error);  // there is none to limit
        break;
      default:
        made = Allocator::immediate(context_.queue(), std::uint64_t{1} << how / 8 % 3, error);
    }
  });
  require((status == CLPOOL_SUCCESS) == static_cast<bool>(made), "an allocator or an error");
  clpool_pool_options options = pool_options();
  options.strategy = input_.byte() % 3U;
  options.max_bytes = input_.byte() % 2U << 16;
  options.wait_ns = 1;
  Pool pool;
  const clpool_status pool_status = told([&](OnError error) { pool = Pool(made, options, error); });
  require((pool_status == CLPOOL_SUCCESS) == static_cast<bool>(pool), "a pool or an error");
  require(!pool || made, "no pool over nothing");
  if (made) {
    allocators_.push_back(made);
  }
  if (pool) {
    pools_.push_back(pool);
  }
}

void CppProgram::fill() {
  Known* const known = pick();
  if (known == nullptr) {
    return;
  }
  const Range where = range();
  const auto value = static_cast<std::uint32_t>(input_.byte() * 0x01010101U);
  const clpool_status status = told([&](OnError error) { known->mem.fill(on(), value, where, error); });
  const auto bytes = length(where, known->bytes.size());
  const bool is_whole = bytes && where.offset % sizeof value == 0 && *bytes % sizeof value == 0;
  require((status == CLPOOL_SUCCESS) == is_whole, "a fill works within the memory");
  if (is_whole) {
    std::fill_n(known->bytes.begin() + static_cast<std::ptrdiff_t>(where.offset), *bytes,
                static_cast<unsigned char>(value));
  }
}

void CppProgram::write() {
  Known* const known = pick();
  if (known == nullptr) {
    return;
  }
  const Range where = range();
  const std::vector<unsigned char> host(std::size_t{input_.byte()} * 16, input_.byte());
  const clpool_status status =
      told([&](OnError error) { known->mem.write(on(), host.data(), host.size(), where, error); });
  const auto bytes = length(where, known->bytes.size());
  if (status == CLPOOL_SUCCESS) {
    require(bytes.has_value(), "a write works within the memory");
    const std::size_t count = where.size == CLPOOL_WHOLE_SIZE ? std::min(*bytes, host.size()) : where.size;
    require(count <= host.size(), "a write works within the host's memory");
    std::copy_n(host.begin(), count, known->bytes.begin() + static_cast<std::ptrdiff_t>(where.offset));
  } else {
    require(!bytes || *bytes > host.size() || host.empty(), "a write within the memory works");
  }
}

void CppProgram::read() {
  Known* const known = pick();
  if (known == nullptr) {
    return;
  }
  const Range where = range();
  std::vector<unsigned char> host(std::size_t{input_.byte()} * 16, 0xEE);
  const clpool_status status =
      told([&](OnError error) { known->mem.read(on(), host.data(), host.size(), where, error); });
  const auto bytes = length(where, known->bytes.size());
  std::size_t count = 0;
  if (status == CLPOOL_SUCCESS) {
    require(bytes.has_value(), "a read works within the memory");
    count = where.size == CLPOOL_WHOLE_SIZE ? std::min(*bytes, host.size()) : where.size;
    require(count <= host.size(), "a read works within the host's memory");
    require(std::equal(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(count),
                       known->bytes.begin() + static_cast<std::ptrdiff_t>(where.offset)),
            "a read gives what was written");
  } else {
    require(!bytes || *bytes > host.size() || host.empty(), "a read within the memory works");
  }
  require(std::all_of(host.begin() + static_cast<std::ptrdiff_t>(count), host.end(),
                      [](unsigned char byte) { return byte == 0xEE; }),
          "nothing else is touched");
}

void CppProgram::copy() {
  Known* const target = pick();
  const Known* const source = pick();
  if (target == nullptr) {
    return;
  }
  const Range where = range();
  const std::size_t from = input_.byte() * 16U;
  const clpool_status status =
      told([&](OnError error) { target->mem.copy_from(on(), source->mem, from, where, error); });
  if (status != CLPOOL_SUCCESS) {
    return;
  }
  require(where.offset <= target->bytes.size() && from <= source->bytes.size(), "a copy works within both");
  const std::size_t most = std::min(target->bytes.size() - where.offset, source->bytes.size() - from);
  const std::size_t count = where.size == CLPOOL_WHOLE_SIZE ? most : where.size;
  require(count <= most, "a copy works within both");
  const std::vector<unsigned char> bytes(source->bytes.begin() + static_cast<std::ptrdiff_t>(from),
                                         source->bytes.begin() + static_cast<std::ptrdiff_t>(from + count));
  std::copy(bytes.begin(), bytes.end(), target->bytes.begin() + static_cast<std::ptrdiff_t>(where.offset));
}

void CppProgram::map() {
  Known* const known = pick();
  if (known == nullptr) {
    return;
  }
  const Range where = range();
  const std::uint8_t value = input_.byte();
  Map map;
  const clpool_status status = told([&](OnError error) {
    map = known->mem.map(context_.queue(), CL_MAP_READ | CL_MAP_WRITE, where, error);
  });
  const auto bytes = length(where, known->bytes.size());
  require((status == CLPOOL_SUCCESS) == (bytes.value_or(0) != 0), "a map works within the memory");
  require((status == CLPOOL_SUCCESS) == static_cast<bool>(map), "a map or an error");
  if (!map) {
    return;
  }
  require(map.size() == *bytes, "a map of the size");
  auto* const first = map.as<unsigned char>();
  const auto begin = known->bytes.begin() + static_cast<std::ptrdiff_t>(where.offset);
  require(std::equal(first, first + *bytes, begin), "a map shows what was written");
  first[*bytes - 1] = value;
  begin[static_cast<std::ptrdiff_t>(*bytes - 1)] = value;
  if (value % 2 == 0) {
    require(told([&](OnError error) { map.unmap(error); }) == CLPOOL_SUCCESS, "unmapping works");
    require(map.pointer() == nullptr, "nothing is mapped then");
    require(told([&](OnError error) { map.unmap(on(), error); }) == CLPOOL_SUCCESS, "and again");
  }
}

}  // namespace clpool::fuzz
