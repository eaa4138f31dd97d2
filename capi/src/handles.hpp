// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Casts between the opaque handles of the C ABI and the core's types. One pair a type, so that a wrong cast
// does not compile.
#pragma once

#include "allocator/allocator.hpp"
#include "base/mem.hpp"
#include "clpool/allocator.h"
#include "clpool/map.h"
#include "clpool/mem.h"
#include "clpool/memo.h"
#include "clpool/pool.h"
#include "clpool/trace.h"
#include "memo/memo.hpp"
#include "memory/map.hpp"
#include "pool/pool.hpp"
#include "trace/log.hpp"
#include "trace/writer.hpp"

namespace clpool::capi {

using namespace core;

inline Allocator* to_core(clpool_allocator* handle) noexcept {
  return reinterpret_cast<Allocator*>(handle);
}
inline clpool_allocator* to_handle(Allocator* object) noexcept {
  return reinterpret_cast<clpool_allocator*>(object);
}

inline Pool* to_core(clpool_pool* handle) noexcept {
  return reinterpret_cast<Pool*>(handle);
}
inline clpool_pool* to_handle(Pool* object) noexcept {
  return reinterpret_cast<clpool_pool*>(object);
}

/// The pool of a live block; null for memory of no pool and for released memory.
inline Pool* pool_of(const Mem& mem) noexcept {
  return mem.pooled() && mem.state == MemState::live ? static_cast<Pool*>(mem.owner) : nullptr;
}

inline Mem* to_core(clpool_mem* handle) noexcept {
  return reinterpret_cast<Mem*>(handle);
}
inline const Mem* to_core(const clpool_mem* handle) noexcept {
  return reinterpret_cast<const Mem*>(handle);
}
inline clpool_mem* to_handle(Mem* object) noexcept {
  return reinterpret_cast<clpool_mem*>(object);
}

inline TraceLog* to_core(clpool_trace* handle) noexcept {
  return reinterpret_cast<TraceLog*>(handle);
}
inline const TraceLog* to_core(const clpool_trace* handle) noexcept {
  return reinterpret_cast<const TraceLog*>(handle);
}
inline clpool_trace* to_handle(TraceLog* object) noexcept {
  return reinterpret_cast<clpool_trace*>(object);
}

inline TraceWriter* to_core(clpool_trace_writer* handle) noexcept {
  return reinterpret_cast<TraceWriter*>(handle);
}
inline clpool_trace_writer* to_handle(TraceWriter* object) noexcept {
  return reinterpret_cast<clpool_trace_writer*>(object);
}

inline Map* to_core(clpool_map* handle) noexcept {
  return reinterpret_cast<Map*>(handle);
}
inline const Map* to_core(const clpool_map* handle) noexcept {
  return reinterpret_cast<const Map*>(handle);
}
inline clpool_map* to_handle(Map* object) noexcept {
  return reinterpret_cast<clpool_map*>(object);
}

inline Memo* to_core(clpool_memo* handle) noexcept {
  return reinterpret_cast<Memo*>(handle);
}
inline clpool_memo* to_handle(Memo* object) noexcept {
  return reinterpret_cast<clpool_memo*>(object);
}

inline MemoValue* to_core(clpool_memo_value* handle) noexcept {
  return reinterpret_cast<MemoValue*>(handle);
}
inline const MemoValue* to_core(const clpool_memo_value* handle) noexcept {
  return reinterpret_cast<const MemoValue*>(handle);
}
inline clpool_memo_value* to_handle(MemoValue* object) noexcept {
  return reinterpret_cast<clpool_memo_value*>(object);
}

/// Puts off the release of an allocator, a pool, a log's writer, a cache or its result.
template <typename Handle>
clpool_status release_later(Handle* handle, const char* what) noexcept {
  if (handle == nullptr) {
    return CLPOOL_SUCCESS;
  }
  const Status status = to_core(handle)->require_own_process(what);
  if (status == Status::success) {
    to_core(handle)->release_later();
  }
  return static_cast<clpool_status>(status);
}

}  // namespace clpool::capi
