// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The commands, for each kind of memory.
#include "fuzz/traffic.hpp"

#include <functional>

namespace clpool::fuzz {
namespace {

/// A wait list of one event or none.
struct Waits {
  explicit Waits(const Event& after) : event(after.get()) {}
  cl_event event;
  cl_uint count() const { return event != nullptr ? 1 : 0; }
  const cl_event* list() const { return event != nullptr ? &event : nullptr; }
};

bool is_svm(const Place& place) {
  return place.memory == Memory::svm || place.memory == Memory::fine_svm;
}

/// Memory that OpenCL knows as the host's only.
bool is_host(const Place& place) {
  return place.memory == Memory::pinned || place.memory == Memory::custom;
}

/// What fills repeat: sizes are multiples of it.
struct Pattern {
  explicit Pattern(std::uint8_t byte) { std::fill(std::begin(bytes), std::end(bytes), byte); }
  unsigned char bytes[32];
};

}  // namespace

bool is_complete(const Event& event) {
  cl_int status = CL_COMPLETE;
  if (event) {
    clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  }
  return status <= CL_COMPLETE;
}

Traffic::Traffic(unsigned out_of_order) : out_of_order_(out_of_order) {
  cl_device_id device = stub_device();
  context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  // By ascending handles, as sets of queues are asked in that order: the same program has the same calls in every process.
  std::vector<cl_command_queue> others;
  for (std::size_t i = 0; i < queue_count;) {
    const cl_command_queue queue = clCreateCommandQueue(
        context_, device, is_in_order(i) ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, nullptr);
    if (i > 0 && std::less<>()(queue, queues_[i - 1])) {
      others.push_back(queue);
    } else {
      queues_[i++] = queue;
    }
  }
  for (cl_command_queue queue : others) {
    clReleaseCommandQueue(queue);
  }
  stub_forget_calls();
}

Traffic::~Traffic() {
  check();
  require(reads_.empty(), "all reads are through");
  for (cl_command_queue queue : queues_) {
    clReleaseCommandQueue(queue);
  }
  clReleaseContext(context_);
}

Mem Traffic::buffer_with(std::size_t size, std::uint8_t byte) {
  std::vector<unsigned char> bytes(size, byte);
  return Mem::buffer(context_, bytes.data(), size, CL_MEM_COPY_HOST_PTR);
}

Traffic::Read& Traffic::expect(const Place& place, std::uint8_t byte, bool into_buffer) {
  Read& read = reads_.emplace_back();
  read.byte = byte;
  if (into_buffer) {
    read.copy = buffer_with(place.size, 0);
  } else {
    read.host.resize(place.size);
  }
  return read;
}

cl_event Traffic::started(Read& read, bool worked) {
  const cl_event event = worked ? read.event.get() : nullptr;
  if (event == nullptr) {
    reads_.pop_back();
  } else {
    clRetainEvent(event);
  }
  return event;
}

cl_event Traffic::write(std::size_t queue, const Place& place, std::uint8_t byte, const Event& after) {
  const Waits waits(after);
  const Pattern pattern(byte);
  cl_event event = nullptr;
  if (is_svm(place)) {
    clEnqueueSVMMemFill(queues_[queue], place.pointer(), pattern.bytes, sizeof pattern, place.size,
                        waits.count(), waits.list(), &event);
  } else if (is_host(place)) {
    const Mem source = buffer_with(place.size, byte);
    clEnqueueReadBuffer(queues_[queue], source.handle(), CL_FALSE, 0, place.size, place.pointer(),
                        waits.count(), waits.list(), &event);
  } else {
    clEnqueueFillBuffer(queues_[queue], place.handle(), pattern.bytes, sizeof pattern, 0, place.size,
                        waits.count(), waits.list(), &event);
  }
  return event;
}

cl_event Traffic::read(std::size_t queue, const Place& place, std::uint8_t byte, const Event& after) {
  const Waits waits(after);
  Read& read = expect(place, byte, is_host(place));
  cl_int code = CL_SUCCESS;
  if (is_svm(place)) {
    code = clEnqueueSVMMemcpy(queues_[queue], CL_FALSE, read.host.data(), place.pointer(), place.size,
                              waits.count(), waits.list(), read.event.receive());
  } else if (is_host(place)) {
    code = clEnqueueWriteBuffer(queues_[queue], read.copy.handle(), CL_FALSE, 0, place.size, place.pointer(),
                                waits.count(), waits.list(), read.event.receive());
  } else {
    code = clEnqueueReadBuffer(queues_[queue], place.handle(), CL_FALSE, 0, place.size, read.host.data(),
                               waits.count(), waits.list(), read.event.receive());
  }
  return started(read, code == CL_SUCCESS);
}

cl_event Traffic::write_by_library(std::size_t queue, const Place& place, std::uint8_t byte,
                                   const Event& after) {
  const Waits waits(after);
  const Pattern pattern(byte);
  cl_event event = nullptr;
  if (is_host(place)) {
    const Mem source = buffer_with(place.size, byte);
    clpool_mem_copy(queues_[queue], place.mem, 0, source.get(), 0, place.size, waits.count(), waits.list(),
                    &event);
  } else {
    clpool_mem_fill(queues_[queue], place.mem, pattern.bytes, sizeof pattern, 0, place.size, waits.count(),
                    waits.list(), &event);
  }
  return event;
}

cl_event Traffic::read_by_library(std::size_t queue, const Place& place, std::uint8_t byte,
                                  const Event& after, bool blocking) {
  const Waits waits(after);
  Read& read = expect(place, byte, is_host(place));
  const clpool_status status =
      is_host(place) ? clpool_mem_copy(queues_[queue], read.copy.get(), 0, place.mem, 0, place.size,
                                       waits.count(), waits.list(), read.event.receive())
                     : clpool_mem_read(queues_[queue], place.mem, 0, place.size, read.host.data(), place.size,
                                       blocking ? 1 : 0, waits.count(), waits.list(), read.event.receive());
  require(status != CLPOOL_SUCCESS || is_host(place) || !blocking || is_complete(read.event),
          "a blocking read is through when it returns");
  return started(read, status == CLPOOL_SUCCESS);
}

void Traffic::check() {
  for (auto read = reads_.begin(); read != reads_.end();) {
    if (!is_complete(read->event)) {
      ++read;
      continue;
    }
    const unsigned char* const bytes = read->copy ? stub_memory(read->copy.handle()) : read->host.data();
    const std::size_t size = read->copy ? read->copy.size() : read->host.size();
    require(std::all_of(bytes, bytes + size, [&](unsigned char byte) { return byte == read->byte; }),
            "a command read what another block's owner wrote");
    read = reads_.erase(read);
  }
}

}  // namespace clpool::fuzz
