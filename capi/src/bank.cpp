// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/bank.h.
#include "clpool/bank.h"

#include "bank.hpp"
#include "models.hpp"
#include "text.hpp"

void clpool_bank_memory_init(clpool_bank_memory* memory) noexcept {
  clpool::capi::initialize<clpool_bank_memory>(memory, CLPOOL_BANK_MEMORY_INIT);
}

clpool_status clpool_bank_conflicts(const clpool_bank_memory* memory_or_null, size_t item_size,
                                    const size_t* shape, size_t rank, const size_t* stored_shape_or_null,
                                    size_t stored_rank, uint64_t* multiplicity, char* text, size_t capacity,
                                    size_t* needed) noexcept {
  using namespace clpool::core;
  namespace capi = clpool::capi;
  constexpr const char* function = "clpool_bank_conflicts";
  return capi::guarded([&] {
    std::size_t unused = 0;
    std::size_t* length = needed != nullptr ? needed : &unused;
    capi::clear(multiplicity);
    CLPOOL_TRY(capi::begin_output(text, capacity, length, function));
    CLPOOL_TRY(capi::require(multiplicity, function, "multiplicity"));
    clpool_bank_memory options = CLPOOL_BANK_MEMORY_INIT;
    if (memory_or_null != nullptr) {
      CLPOOL_TRY(capi::read_options(memory_or_null, options, function));
      CLPOOL_TRY(capi::require_zero(options.reserved, function));
    }
    device::BankMemory memory;
    CLPOOL_TRY(capi::to_model(options.model, memory.model, function));
    memory.granularity = options.granularity != 0 ? options.granularity : memory.granularity;
    memory.work_items = options.work_items != 0 ? options.work_items : memory.work_items;
    memory.banks = options.banks != 0 ? options.banks : memory.banks;
    device::BankAccess access;
    CLPOOL_TRY(capi::to_access(item_size, shape, rank, stored_shape_or_null, stored_rank, access, function));
    device::BankConflict conflict;
    CLPOOL_TRY(device::bank_conflicts(memory, access, conflict));
    *multiplicity = conflict.multiplicity;
    capi::write_text(conflict.text, text, capacity, length);
    return Status::success;
  });
}
