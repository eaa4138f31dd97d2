// The cache of sub-buffer objects.
#include "pool/sub_buffers.hpp"

namespace clpool::core {

cl_mem SubBuffers::take(const HeapChunk& chunk, std::uint64_t offset, std::uint64_t size) noexcept {
  const auto place = places_.find(Key{&chunk, offset, size});
  if (place == places_.end()) {
    return nullptr;
  }
  cl_mem handle = place->second->handle;
  entries_.erase(place->second);
  places_.erase(place);
  return handle;
}

void SubBuffers::keep(const HeapChunk& chunk, std::uint64_t offset, std::uint64_t size, cl_mem handle,
                      std::uint64_t stamp) {
  const Key key{&chunk, offset, size};
  entries_.push_back({key, handle, stamp});
  try {
    places_.emplace(key, std::prev(entries_.end()));
  } catch (...) {
    entries_.pop_back();
    throw;
  }
}

void SubBuffers::take_all_of(const HeapChunk& chunk, Entries& removed) noexcept {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto current = entry++;
    if (current->key.chunk == &chunk) {
      places_.erase(current->key);
      removed.splice(removed.end(), entries_, current);
    }
  }
}

void SubBuffers::take_excess(std::uint64_t completed, Entries& removed) noexcept {
  while (over_bound() && entries_.front().stamp <= completed) {
    places_.erase(entries_.front().key);
    removed.splice(removed.end(), entries_, entries_.begin());
  }
}

}  // namespace clpool::core
