// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/memo.h, and how each kind of object is held.
#include "clpool/memo.h"

#include "base/message.hpp"
#include "clpool/pool.h"
#include "handles.hpp"
#include "memo/memo.hpp"
#include "shim.hpp"

using namespace clpool::core;
namespace capi = clpool::capi;
using capi::to_core;
using capi::to_handle;

namespace {

/// INVALID_VALUE for no cache, INVALID_OPERATION for one that was made before fork().
Status require_usable(clpool_memo* memo, const char* function) noexcept {
  CLPOOL_TRY(capi::require(memo, function, "memo"));
  return to_core(memo)->require_own_process("the cache");
}

/// Gives up a reference of a cache or of a result.
template <typename Handle>
clpool_status release(Handle* handle, const char* what) noexcept {
  if (handle != nullptr) {
    if (const Status status = to_core(handle)->require_own_process(what); status != Status::success) {
      return static_cast<clpool_status>(status);
    }
    to_core(handle)->release();
  }
  finish_later_releases();
  return CLPOOL_SUCCESS;
}

Status result_of(cl_int code, const char* routine, void* object) noexcept {
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, routine, "the object %p cannot be held", object);
}

void report(cl_int code, const char* routine) noexcept {
  if (code != CL_SUCCESS) {
    send_message({}, Severity::error, "%s failed: %s (%d)", routine, cl_error_name(code), code);
  }
}

constexpr MemoObjectKind kinds[] = {
    {[](void*) noexcept { return Status::success; }, [](void*) noexcept {}},
    {[](void* object) noexcept {
       return result_of(clRetainContext(static_cast<cl_context>(object)), "clRetainContext", object);
     },
     [](void* object) noexcept {
       report(clReleaseContext(static_cast<cl_context>(object)), "clReleaseContext");
     }},
    {[](void* object) noexcept {
       return result_of(clRetainDevice(static_cast<cl_device_id>(object)), "clRetainDevice", object);
     },
     [](void* object) noexcept {
       report(clReleaseDevice(static_cast<cl_device_id>(object)), "clReleaseDevice");
     }},
    {[](void* object) noexcept {
       return result_of(clRetainCommandQueue(static_cast<cl_command_queue>(object)), "clRetainCommandQueue",
                        object);
     },
     [](void* object) noexcept {
       report(clReleaseCommandQueue(static_cast<cl_command_queue>(object)), "clReleaseCommandQueue");
     }},
    {[](void* object) noexcept {
       return static_cast<Status>(clpool_pool_retain(static_cast<clpool_pool*>(object)));
     },
     [](void* object) noexcept { clpool_pool_release(static_cast<clpool_pool*>(object)); }},
};
static_assert(std::size(kinds) == CLPOOL_MEMO_POOL + 1);

Status to_bytes(const void* key, std::size_t size, std::string& bytes, const char* function) {
  if (key == nullptr && size != 0) {
    return fail(Status::invalid_value, "%s: key is NULL but has %zu bytes", function, size);
  }
  if (size > PTRDIFF_MAX) {
    return fail(Status::invalid_value, "%s: the key has %zu bytes, the most are %td", function, size,
                PTRDIFF_MAX);
  }
  bytes.assign(static_cast<const char*>(key), size);
  return Status::success;
}

Status to_functions(const clpool_memo_ops* source, MemoFunctions& functions, const char* function) {
  CLPOOL_TRY(capi::require(source, function, "ops"));
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  CLPOOL_TRY(capi::read_options(source, ops, function));
  if (ops.version != 1) {
    return fail(Status::invalid_value, "%s: version of the ops is %u, this library knows 1", function,
                ops.version);
  }
  CLPOOL_TRY(capi::require(reinterpret_cast<const void*>(ops.compute), function, "ops->compute"));
  functions = {ops.compute, ops.destroy};
  return Status::success;
}

}  // namespace

void clpool_memo_ops_init(clpool_memo_ops* ops) noexcept {
  clpool::capi::initialize<clpool_memo_ops>(ops, CLPOOL_MEMO_OPS_INIT);
}

clpool_status clpool_memo_create(clpool_memo** out) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::begin_object(out, "clpool_memo_create"));
    *out = to_handle(new Memo);
    return Status::success;
  });
}

clpool_status clpool_memo_get(clpool_memo* memo, uint32_t kind, void* object, const void* key,
                              size_t key_size, const clpool_memo_ops* ops, void* user,
                              clpool_memo_value** out) noexcept {
  constexpr const char* function = "clpool_memo_get";
  return capi::guarded([&] {
    CLPOOL_TRY(capi::begin_object(out, function));
    CLPOOL_TRY(require_usable(memo, function));
    if (kind >= std::size(kinds)) {
      return fail(Status::invalid_value, "%s: kind is %u, valid are 0 to %d", function, kind,
                  CLPOOL_MEMO_POOL);
    }
    if (kind != CLPOOL_MEMO_ANY) {
      CLPOOL_TRY(capi::require(object, function, "object"));
    }
    std::string bytes;
    MemoFunctions functions;
    CLPOOL_TRY(to_bytes(key, key_size, bytes, function));
    CLPOOL_TRY(to_functions(ops, functions, function));
    Reference<MemoValue> value;
    CLPOOL_TRY(to_core(memo)->get(object, kinds[kind], std::move(bytes), functions, user, value));
    *out = to_handle(value.detach());
    return Status::success;
  });
}

clpool_status clpool_memo_find(clpool_memo* memo, void* object, const void* key, size_t key_size,
                               clpool_memo_value** out) noexcept {
  constexpr const char* function = "clpool_memo_find";
  return capi::guarded([&] {
    CLPOOL_TRY(capi::clear_result(out, function, "out"));
    CLPOOL_TRY(require_usable(memo, function));
    std::string bytes;
    CLPOOL_TRY(to_bytes(key, key_size, bytes, function));
    Reference<MemoValue> value;
    CLPOOL_TRY(to_core(memo)->find(object, bytes, value));
    *out = to_handle(value.detach());
    return Status::success;
  });
}

clpool_status clpool_memo_clear(clpool_memo* memo) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(require_usable(memo, "clpool_memo_clear"));
    to_core(memo)->clear();
    return Status::success;
  });
}

clpool_status clpool_memo_clear_object(clpool_memo* memo, void* object) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(require_usable(memo, "clpool_memo_clear_object"));
    to_core(memo)->clear_object(object);
    return Status::success;
  });
}

clpool_status clpool_memo_clear_all(void) noexcept {
  return capi::guarded([] {
    Memo::clear_all();
    return Status::success;
  });
}

clpool_status clpool_memo_size(clpool_memo* memo, size_t* size) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::clear_result(size, "clpool_memo_size", "size"));
    CLPOOL_TRY(require_usable(memo, "clpool_memo_size"));
    *size = to_core(memo)->size();
    return Status::success;
  });
}

clpool_status clpool_memo_retain(clpool_memo* memo) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(require_usable(memo, "clpool_memo_retain"));
    to_core(memo)->retain();
    return Status::success;
  });
}

clpool_status clpool_memo_release(clpool_memo* memo) noexcept {
  return release(memo, "the cache");
}

clpool_status clpool_memo_release_later(clpool_memo* memo) noexcept {
  return capi::release_later(memo, "the cache");
}

void* clpool_memo_value_get(const clpool_memo_value* value) noexcept {
  return value != nullptr ? to_core(value)->get() : nullptr;
}

clpool_status clpool_memo_value_release(clpool_memo_value* value) noexcept {
  return release(value, "the cache's result");
}

clpool_status clpool_memo_value_release_later(clpool_memo_value* value) noexcept {
  return capi::release_later(value, "the cache's result");
}
