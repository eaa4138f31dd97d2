// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The bank models: golden values of PyOpenCL, and where today's model differs.
#include "device/bank_model.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clpool::core::device {
namespace {

using Shape = std::vector<std::size_t>;

BankConflict conflict_of(const BankMemory& memory, std::size_t item_size, const Shape& shape,
                         const Shape& stored) {
  BankConflict conflict;
  EXPECT_EQ(bank_conflicts(memory, {item_size, shape, stored}, conflict), Status::success)
      << last_error_message();
  return conflict;
}

struct Golden {
  std::size_t item_size;
  Shape shape;
  Shape stored;
  std::uint64_t of_32;
  std::uint64_t of_16;
  std::uint64_t by_transaction;  ///< of 32
};

const std::vector<Golden> table{
    {4, {32, 32}, {32, 32}, 32, 16, 32},
    {4, {32, 32}, {32, 33}, 1, 1, 1},
    {4, {16, 16}, {16, 16}, 8, 16, 8},
    {4, {16, 16}, {16, 17}, 2, 1, 2},
    {4, {64}, {64}, 1, 1, 1},
    {4, {3, 5}, {3, 5}, 1, 1, 1},
    {4, {}, {}, 1, 1, 1},
    {8, {32}, {32}, 2, 2, 1},
    {8, {32, 32}, {32, 33}, 2, 2, 1},
    {2, {32}, {32}, 2, 2, 1},
    {1, {32}, {32}, 4, 4, 1},
    {16, {32}, {32}, 4, 4, 1},
    {4, {4, 8, 16}, {4, 8, 16}, 16, 16, 16},
    {4, {8, 8, 8}, {8, 8, 9}, 2, 4, 2},
};

TEST(BankModel, PyOpenClsGoldenValuesHold) {
  for (const Golden& row : table) {
    SCOPED_TRACE(std::to_string(row.item_size) + " bytes, " + std::to_string(row.shape.size()) + " axes");
    EXPECT_EQ(conflict_of({Model::pyopencl, 4, 32, 32}, row.item_size, row.shape, row.stored).multiplicity,
              row.of_32);
    EXPECT_EQ(conflict_of({Model::pyopencl, 4, 16, 16}, row.item_size, row.shape, row.stored).multiplicity,
              row.of_16);
  }
}

// accesses to one word are merged, wide accesses are several transactions; 4-byte items are as before.
TEST(BankModel, ByTransactionOnlyDistinctWordsOfABankConflict) {
  for (const Golden& row : table) {
    SCOPED_TRACE(std::to_string(row.item_size) + " bytes, " + std::to_string(row.shape.size()) + " axes");
    EXPECT_EQ(conflict_of({Model::current, 4, 32, 32}, row.item_size, row.shape, row.stored).multiplicity,
              row.by_transaction);
    if (row.item_size == 4) {
      EXPECT_EQ(conflict_of({Model::current, 4, 16, 16}, row.item_size, row.shape, row.stored).multiplicity,
                row.of_16);
    }
  }
  EXPECT_EQ(conflict_of({Model::current, 4, 32, 32}, 12, {32}, {32}).multiplicity, 1u);
  const BankConflict of_two_banks = conflict_of({Model::current, 4, 32, 32}, 8, {32, 32}, {32, 32});
  EXPECT_EQ(of_two_banks.multiplicity, 16u);
  EXPECT_EQ(of_two_banks.bank, 0u) << "the first of those with as many";
}

TEST(BankModel, ATextNamesMultiplicityAxisItemsAndBank) {
  const auto conflict = conflict_of({Model::pyopencl, 4, 2, 2}, 4, {2, 2}, {2, 2});
  EXPECT_EQ(conflict.text,
            "2x conflict on axis 1 (from right, 0-based): w.item 0 -> [0, 0], w.item 1 -> [1, 0] "
            "access bank 0");
  EXPECT_EQ(conflict.axis, 1u);
  EXPECT_EQ(conflict.bank, 0u);
  EXPECT_EQ(conflict_of({Model::current, 4, 2, 2}, 4, {2, 2}, {2, 2}).text, conflict.text);
  EXPECT_EQ(conflict_of({Model::pyopencl, 4, 32, 32}, 4, {64}, {64}).text, "");
}

TEST(BankModel, PyOpenClDecidesTiesByTheGreatestText) {
  const auto conflict = conflict_of({Model::pyopencl, 4, 32, 32}, 8, {32}, {32});
  EXPECT_EQ(conflict.bank, 18u);
  EXPECT_EQ(conflict.text,
            "2x conflict on axis 0 (from right, 0-based): w.item 9 -> [9], w.item 25 -> [25] access bank 18");
}

// Upstream divides by zero.
TEST(BankModel, ImpossibleShapesAreErrors) {
  const BankMemory memory;
  BankConflict conflict;
  const Shape two{4, 4};
  const Shape three{4, 4, 4};
  const Shape zero{4, 0};
  const Shape huge{std::size_t{1} << 40, std::size_t{1} << 40};
  EXPECT_EQ(bank_conflicts(memory, {4, two, three}, conflict), Status::invalid_value);
  EXPECT_STREQ(last_error_message(), "the shape has 2 axes and the stored shape 3: there must be as many");
  EXPECT_EQ(bank_conflicts(memory, {4, zero, two}, conflict), Status::invalid_value);
  EXPECT_STREQ(last_error_message(), "axis 1 has extent 0 and stored extent 4, neither may be 0");
  EXPECT_EQ(bank_conflicts(memory, {4, two, zero}, conflict), Status::invalid_value);
  EXPECT_EQ(bank_conflicts(memory, {0, two, two}, conflict), Status::invalid_value);
  EXPECT_EQ(bank_conflicts(memory, {65536, two, two}, conflict), Status::success);
  EXPECT_EQ(bank_conflicts(memory, {65537, two, two}, conflict), Status::invalid_value);
  EXPECT_STREQ(last_error_message(), "the item size is 65537 bytes, valid are 1 to 65536");
  const Shape many(33, 1);
  EXPECT_EQ(bank_conflicts(memory, {4, many, many}, conflict), Status::invalid_value);
  EXPECT_STREQ(last_error_message(), "the shape has 33 axes, at most 32 are allowed");
  EXPECT_EQ(bank_conflicts(memory, {4, huge, huge}, conflict), Status::invalid_value);
  EXPECT_EQ(bank_conflicts({Model::current, 4, 32, 0}, {4, two, two}, conflict), Status::invalid_value);
  EXPECT_EQ(bank_conflicts({Model::current, 0, 32, 32}, {4, two, two}, conflict), Status::invalid_value);
  EXPECT_EQ(bank_conflicts({Model::current, 4, 0, 32}, {4, two, two}, conflict), Status::invalid_value);
}

/// Wide items go in several transactions.
TEST(BankModel, OneWorkItemHasNoConflictWithItself) {
  for (const std::size_t bytes : {128U, 129U, 256U, 65536U}) {
    EXPECT_EQ(conflict_of({Model::current, 4, 32, 32}, bytes, {64, 64}, {64, 64}).multiplicity, 1U) << bytes;
    EXPECT_EQ(conflict_of({Model::current, 4, 1, 32}, bytes, {64}, {64}).multiplicity, 1U) << bytes;
  }
  EXPECT_EQ(conflict_of({Model::current, 4, 1, 32}, 4, {64}, {64}).multiplicity, 1U);
  EXPECT_EQ(conflict_of({Model::current, 4, 32, 32}, 64, {64}, {128}).multiplicity, 1U);
  EXPECT_EQ(conflict_of({Model::current, 4, 32, 32}, 64, {64, 64}, {64, 64}).multiplicity, 2U);
}

TEST(BankModel, MoreWordsThanAnybodyHasAreRefused) {
  BankConflict conflict;
  const Shape shape{64, 64};
  EXPECT_EQ(bank_conflicts({Model::current, 1, 32, 65537}, {4, shape, shape}, conflict),
            Status::invalid_value);
  EXPECT_STREQ(
      last_error_message(),
      "local memory with 65537 banks of 1 bytes and 32 work items: none may be 0, and there may be 65536 "
      "banks and 4096 work items");
  EXPECT_EQ(bank_conflicts({Model::current, 1, 8, 65536}, {32768, shape, shape}, conflict), Status::success)
      << last_error_message();
  EXPECT_EQ(bank_conflicts({Model::current, 1, 9, 65536}, {32768, shape, shape}, conflict),
            Status::invalid_value);
  EXPECT_STREQ(last_error_message(),
               "9 work items of 32768 bytes access 294912 words of 1 bytes, at most 262144 are allowed");
  EXPECT_EQ(bank_conflicts({Model::pyopencl, 1, 4096, 65536}, {65536, shape, shape}, conflict),
            Status::success)
      << "where only items are counted";
}

TEST(Bank, ArraysHaveUpTo32Axes) {
  BankConflict conflict;
  const Shape most(32, 1);
  EXPECT_EQ(bank_conflicts({Model::current, 4, 32, 32}, {4, most, most}, conflict), Status::success)
      << last_error_message();
  const Shape more(33, 1);
  EXPECT_EQ(bank_conflicts({Model::current, 4, 32, 32}, {4, more, more}, conflict), Status::invalid_value);
  EXPECT_STREQ(last_error_message(), "the shape has 33 axes, at most 32 are allowed");
}

}  // namespace
}  // namespace clpool::core::device
