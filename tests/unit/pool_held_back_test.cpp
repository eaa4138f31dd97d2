// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// HeldBack by itself, beside a plain list of what it is to have.
#include <algorithm>
#include <iterator>
#include <list>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pool/books/held_back.hpp"

namespace clpool::core {
namespace {

class HeldBackBesideAModel : public testing::TestWithParam<unsigned> {
 protected:
  PoolBlock& make(std::uint64_t stamp) {
    PoolBlock& block = blocks_.emplace_back();
    set_stamp(block, stamp);
    block.attachment = nullptr;
    return block;
  }
  void add(std::uint64_t stamp) {
    held.add(make(stamp));
    model.push_back(stamp);
  }
  /// Blocks of stamps up to `most`.
  void add_in_order(std::size_t count, std::uint64_t most) {
    std::vector<std::uint64_t> stamps;
    for (std::size_t i = 0; i < count; ++i) {
      stamps.push_back(random() % (most + 1));
    }
    std::sort(stamps.begin(), stamps.end());
    Fifo<PoolBlock, Mem> others;
    for (const std::uint64_t stamp : stamps) {
      others.add(make(stamp));
      const auto younger =
          std::find_if(model.begin(), model.end(), [&](std::uint64_t there) { return there > stamp; });
      model.insert(!model.empty() && model.back() <= stamp ? model.end() : younger, stamp);
    }
    held.add_in_order(others);
    EXPECT_TRUE(others.empty());
  }
  void take() {
    PoolBlock* const block = held.take();
    ASSERT_EQ(block == nullptr, model.empty());
    if (block != nullptr) {
      EXPECT_EQ(stamp_of(*block), model.front());
      EXPECT_EQ(block->attachment, nullptr) << "of no list any more";
      model.pop_front();
    }
  }
  void remove(std::size_t place) {
    Mem* previous = nullptr;
    Mem* mem = held.first;
    for (std::size_t i = 0; i < place; ++i) {
      previous = mem;
      mem = mem->next;
    }
    held.remove(pool_block(*mem), previous);
    EXPECT_EQ(pool_block(*mem).attachment, nullptr);
    model.erase(std::next(model.begin(), static_cast<std::ptrdiff_t>(place)));
  }
  void check() const {
    std::vector<std::uint64_t> stamps;
    for (const Mem* mem = held.first; mem != nullptr; mem = mem->next) {
      stamps.push_back(stamp_of(pool_block(*mem)));
    }
    ASSERT_EQ(stamps, std::vector<std::uint64_t>(model.begin(), model.end()));
    ASSERT_EQ(held.count, model.size());
  }

  std::minstd_rand random{GetParam()};
  HeldBack held;
  std::list<std::uint64_t> model;

 private:
  std::list<PoolBlock> blocks_;
};

/// Whether an old one may come last, too, as one that waited for an event: what comes in order stays behind the first that is
/// younger, or goes to the end.
TEST_P(HeldBackBesideAModel, HasWhatComesInItsPlaceAndLosesNothing) {
  for (const std::uint64_t oldest : {0, 7}) {
    std::uint64_t newest = 8;
    for (int step = 0; step < 3000; ++step) {
      newest += random() % 4 == 0 ? 1 : 0;
      const auto kind = random() % 8;
      if (kind < 3) {
        add(newest - random() % (oldest + 1));
      } else if (kind == 3) {
        add_in_order(random() % 6, newest);
      } else if (kind < 6 || model.empty()) {
        take();
      } else {
        remove(random() % model.size());
      }
      ASSERT_NO_FATAL_FAILURE(check()) << "step " << step;
    }
    while (!model.empty()) {
      ASSERT_NO_FATAL_FAILURE(take());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, HeldBackBesideAModel, testing::Range(1U, 9U));

}  // namespace
}  // namespace clpool::core
