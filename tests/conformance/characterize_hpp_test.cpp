// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/characterize.hpp: each function asks the question of its name.
#include "clpool/characterize.hpp"

#include <gtest/gtest.h>

#include <string>

#include "clpool/testing/gtest.hpp"

namespace {

namespace characterize = clpool::characterize;

class CharacterizeHpp : public clpool::testing::ContextTest {};

/// The answer is what the C function says with these arguments.
template <typename Question, typename... Arguments>
void expect_answer_of(const clpool_answer& answer, Question question, Arguments... arguments) {
  clpool_answer expected = CLPOOL_ANSWER_INIT;
  ASSERT_EQ(question(arguments..., &expected), CLPOOL_SUCCESS) << clpool_last_error_message();
  EXPECT_EQ(answer.value, expected.value);
  EXPECT_EQ(answer.source, expected.source);
  EXPECT_STREQ(answer.basis, expected.basis);
}

TEST_P(CharacterizeHpp, AsksWhatItsNamesSay) {
  const cl_device_id on = device();
  constexpr uint32_t current = CLPOOL_MODEL_CURRENT;
  constexpr uint32_t older = CLPOOL_MODEL_PYOPENCL;
  expect_answer_of(characterize::amd_double_support(on), clpool_characterize_amd_double_support, on);
  expect_answer_of(characterize::double_support(on), clpool_characterize_double_support, on, current);
  expect_answer_of(characterize::double_support(on, older), clpool_characterize_double_support, on, older);
  expect_answer_of(characterize::local_access_granularity(on), clpool_characterize_local_access_granularity,
                   on, current);
  expect_answer_of(characterize::local_access_granularity(on, older),
                   clpool_characterize_local_access_granularity, on, older);
  expect_answer_of(characterize::local_access_work_items(on), clpool_characterize_local_access_work_items, on,
                   current);
  expect_answer_of(characterize::local_bank_count(on), clpool_characterize_local_bank_count, on, current);
  expect_answer_of(characterize::simd_group_size(on), clpool_characterize_simd_group_size, on, current);
  expect_answer_of(characterize::source_build_cache(on), clpool_characterize_source_build_cache, on);
  expect_answer_of(characterize::sub_groups(on), clpool_characterize_sub_groups, on);
  expect_answer_of(characterize::work_group_size_multiple(on, context()),
                   clpool_characterize_work_group_size_multiple, on, context(), current);
  expect_answer_of(characterize::struct_argument_bug(on, context()), clpool_characterize_struct_argument_bug,
                   on, context());
  for (const uint32_t kind : {CLPOOL_SVM_KIND_COARSE_BUFFER, CLPOOL_SVM_KIND_FINE_SYSTEM_ATOMICS}) {
    expect_answer_of(characterize::svm(on, kind), clpool_characterize_svm, on, kind, current);
  }
  expect_answer_of(characterize::usable_local_memory(on), clpool_characterize_usable_local_memory, on, -1);
  const std::vector<uint32_t> sizes = characterize::simd_group_sizes(on);
  ASSERT_FALSE(sizes.empty());
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  EXPECT_FALSE(characterize::fast_build_options(on).empty());
  const characterize::Version capability = characterize::compute_capability(on);
  EXPECT_EQ(capability.major != 0, capability.answer.source == CLPOOL_SOURCE_QUERY);
  EXPECT_EQ(characterize::local_access_conflicts(on, 4, {32, 32}).multiplicity,
            characterize::local_bank_count(on).source == CLPOOL_SOURCE_NOT_APPLICABLE ? 1u : 32u);
}

TEST_P(CharacterizeHpp, MeasuresAsLongAsItIsTold) {
  clpool_performance_options options = CLPOOL_PERFORMANCE_OPTIONS_INIT;
  options.repetitions = 1;
  options.warm_ups = 1;
  options.transfer_bytes = 4096;
  options.least_ns = 1;
  EXPECT_EQ(characterize::performance(context(), device(), options).transfer_bytes, 4096u);
}

TEST(CharacterizeHppWithoutADevice, ConflictsOfBanksAreFoundAndToldInWords) {
  EXPECT_EQ(clpool::bank_conflicts(4, {32, 33}).multiplicity, 1u);
  const clpool::BankConflicts found = clpool::bank_conflicts(4, {32, 32});
  EXPECT_EQ(found.multiplicity, 32u);
  EXPECT_FALSE(found.text.empty());
  EXPECT_EQ(clpool::bank_conflicts(4, {32, 32}, {32, 33}).multiplicity, 1u) << "padded";
  EXPECT_THROW(clpool::bank_conflicts(0, {32, 32}), clpool::Error);
  std::error_code code;
  EXPECT_TRUE(characterize::fast_build_options(nullptr, CLPOOL_MODEL_CURRENT, code).empty());
  EXPECT_EQ(code, std::errc::invalid_argument);
}

CLPOOL_INSTANTIATE_ON_CONTEXTS(CharacterizeHpp);

}  // namespace
