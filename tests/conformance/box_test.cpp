// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/transfer.h: rectangular copies, for buffers from every source.
#include "clpool/transfer.h"

#include <algorithm>
#include <limits>

#include "memory.hpp"

namespace {

using clpool::test::bytes;
using clpool::test::floats;
using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::OwnedMem;
using clpool::test::state_of;

// Arrays in C order, [slice][row][byte].
struct Volume {
  size_t rows, columns, slices = 1;
  size_t size() const { return rows * columns * slices; }
  size_t at(size_t slice, size_t row, size_t column) const { return (slice * rows + row) * columns + column; }
};

struct Window {
  size_t row, column, slice = 0;
};

class EveryBox : public clpool::test::EveryBuffer {
 protected:
  /// Host → buffer → buffer → host, each with its own shape and place of the window; both host windows must
  /// be equal.
  void round_trip(const Volume& window, const Volume (&volumes)[4], const Window (&places)[4],
                  uint32_t dimensions) {
    const std::vector<unsigned char> source = bytes(volumes[0].size());
    std::vector<unsigned char> target(volumes[3].size(), 0);
    const OwnedMem first = make(volumes[1].size());
    const OwnedMem second = make(volumes[2].size());
    const auto box = [&](int from, int to) {
      clpool_box result = CLPOOL_BOX_INIT;
      result.dimensions = dimensions;
      const size_t region[3] = {window.columns, window.rows, window.slices};
      const size_t source_origin[3] = {places[from].column, places[from].row, places[from].slice};
      const size_t target_origin[3] = {places[to].column, places[to].row, places[to].slice};
      std::copy_n(region, 3, result.region);
      std::copy_n(source_origin, 3, result.source_origin);
      std::copy_n(target_origin, 3, result.target_origin);
      result.source_row_pitch = volumes[from].columns;
      result.target_row_pitch = volumes[to].columns;
      result.source_slice_pitch = dimensions == 3 ? volumes[from].columns * volumes[from].rows : 0;
      result.target_slice_pitch = dimensions == 3 ? volumes[to].columns * volumes[to].rows : 0;
      return result;
    };
    const clpool_box in = box(0, 1);
    const clpool_box across = box(1, 2);
    const clpool_box out = box(2, 3);
    ASSERT_OK(clpool_mem_write_box(cl.queue, first.get(), &in, source.data(), source.size(), 1, 0, nullptr,
                                   nullptr));
    ASSERT_OK(clpool_mem_copy_box(cl.queue, second.get(), first.get(), &across, 0, nullptr, nullptr));
    ASSERT_OK(clpool_mem_read_box(cl.queue, second.get(), &out, target.data(), target.size(), 1, 0, nullptr,
                                  nullptr));
    for (size_t slice = 0; slice < window.slices; ++slice) {
      for (size_t row = 0; row < window.rows; ++row) {
        for (size_t column = 0; column < window.columns; ++column) {
          ASSERT_EQ(
              target[volumes[3].at(places[3].slice + slice, places[3].row + row, places[3].column + column)],
              source[volumes[0].at(places[0].slice + slice, places[0].row + row, places[0].column + column)]);
        }
      }
    }
  }
};
INSTANTIATE_FOR_EVERY_BUFFER(EveryBox);

TEST_P(EveryBox, AWindowOf2DArraysIsCopiedExactly) {
  round_trip({128, 96}, {{256, 128}, {300, 200}, {300, 400}, {512, 256}},
             {{20, 13}, {7, 3}, {31, 17}, {11, 19}}, 2);
}

TEST_P(EveryBox, AWindowOf3DArraysIsCopiedExactly) {
  round_trip({128, 96, 20}, {{256, 128, 31}, {300, 200, 30}, {300, 400, 40}, {192, 256, 128}},
             {{20, 13, 7}, {7, 3, 6}, {31, 17, 3}, {11, 19, 14}}, 3);
}

TEST_P(EveryBox, ASmallArrayIsPutIntoALargerOne) {
  const std::vector<float> small = floats(6);
  const OwnedMem source = make_with(small);
  const OwnedMem target = make_with(std::vector<float>(20, -1.0F));
  clpool_box box = CLPOOL_BOX_INIT;
  box.dimensions = 2;
  box.region[0] = 3 * sizeof(float);
  box.region[1] = 2;
  box.target_origin[0] = sizeof(float);
  box.target_origin[1] = 1;
  box.target_row_pitch = 5 * sizeof(float);
  ASSERT_OK(clpool_mem_copy_box(cl.queue, target.get(), source.get(), &box, 0, nullptr, nullptr));
  EXPECT_EQ(content<float>(target.get(), 20),
            (std::vector<float>{-1, -1, -1, -1, -1, -1, 0, 1, 2, -1, -1, 3, 4, 5, -1, -1, -1, -1, -1, -1}));
}

TEST_P(EveryBox, PartsOfOneBufferMayHaveDifferentPitches) {  // PoCL crashes on boxes of sub-buffers
  const OwnedMem mem = make_with(bytes(64 * alignment()));
  clpool_mem* regions[2] = {};
  ASSERT_OK(clpool_mem_sub_region(mem.get(), 0, 16 * alignment(), 0, &regions[0]));
  const OwnedMem source(regions[0]);
  ASSERT_OK(clpool_mem_sub_region(mem.get(), 32 * alignment(), 16 * alignment(), 0, &regions[1]));
  const OwnedMem target(regions[1]);
  clpool_box box = CLPOOL_BOX_INIT;
  box.region[0] = 8;
  box.region[1] = 3;
  box.region[2] = 2;
  box.source_origin[0] = 5;
  box.source_row_pitch = 20;
  box.target_origin[1] = 1;
  cl_event event = nullptr;
  ASSERT_OK(clpool_mem_copy_box(cl.queue, regions[1], regions[0], &box, 0, nullptr, &event));
  clWaitForEvents(1, &event);
  clReleaseEvent(event);
  const std::vector<unsigned char> result = content<unsigned char>(regions[1], 56);
  const std::vector<unsigned char> values = bytes(200);
  for (size_t row = 0; row < 6; ++row) {  // slices are tight on both sides
    EXPECT_TRUE(std::equal(result.begin() + static_cast<long>(8 + 8 * row),
                           result.begin() + static_cast<long>(16 + 8 * row),
                           values.begin() + static_cast<long>(5 + 20 * row)))
        << row;
  }
}

/// 4 rows of 8 bytes, 64 apart, to `shift` bytes further on.
clpool_box shifted_box(size_t shift) {
  clpool_box box = CLPOOL_BOX_INIT;
  box.region[0] = 8;
  box.region[1] = 4;
  box.region[2] = 1;
  box.source_row_pitch = box.target_row_pitch = 64;
  box.target_origin[0] = shift;
  return box;
}

TEST_P(EveryBox, BoxesThatOverlapAreRefusedBeforeAnythingIsCopied) {
  const std::vector<unsigned char> before = bytes(16 * alignment());
  const OwnedMem mem = make_with(before);
  clpool_mem* made = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem.get(), 0, 16 * alignment(), 0, &made));
  const OwnedMem part(made);
  for (clpool_mem* const target : {mem.get(), part.get()}) {
    clpool_box box = shifted_box(7);
    EXPECT_EQ(clpool_mem_copy_box(cl.queue, target, mem.get(), &box, 0, nullptr, nullptr),
              CLPOOL_ERROR_OPENCL);
    EXPECT_EQ(clpool_last_cl_error(), CL_MEM_COPY_OVERLAP);
    box = shifted_box(2 * 64);  // its third row is the target's first
    EXPECT_EQ(clpool_mem_copy_box(cl.queue, target, mem.get(), &box, 0, nullptr, nullptr),
              CLPOOL_ERROR_OPENCL);
    EXPECT_EQ(clpool_last_cl_error(), CL_MEM_COPY_OVERLAP);
  }
  EXPECT_EQ(content<unsigned char>(mem.get(), before.size()), before);
}

TEST_P(EveryBox, BoxesOfAPartMayLieBetweenTheRowsOfAnother) {
  const std::vector<unsigned char> before = bytes(16 * alignment());
  const OwnedMem mem = make_with(before);
  clpool_mem* made = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem.get(), 0, 16 * alignment(), 0, &made));
  const OwnedMem part(made);
  clpool_box box = shifted_box(8);
  if (clpool_mem_copy_box(cl.queue, part.get(), mem.get(), &box, 0, nullptr, nullptr) != CLPOOL_SUCCESS) {
    GTEST_SKIP() << "the driver takes interlaced boxes for overlapping ones: " << last_error();
  }
  std::vector<unsigned char> after = before;
  for (size_t row = 0; row < 4; ++row) {
    std::copy_n(before.begin() + static_cast<long>(64 * row), 8,
                after.begin() + static_cast<long>(64 * row + 8));
  }
  EXPECT_EQ(content<unsigned char>(mem.get(), before.size()), after);
}

TEST_P(EveryBox, WithinOneBufferBothPitchesAreTheSame) {
  const OwnedMem mem = make(16 * 1024);
  clpool_box box = shifted_box(8192);
  box.target_row_pitch = 72;
  EXPECT_EQ(clpool_mem_copy_box(cl.queue, mem.get(), mem.get(), &box, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("64") && last_error_names("72")) << last_error();
}

TEST_P(EveryBox, BoxesBeyondEitherSideAreRefused) {
  const OwnedMem mem = make(1024);
  std::vector<unsigned char> host(1024);
  clpool_box box = CLPOOL_BOX_INIT;
  box.dimensions = 2;
  box.region[0] = 32;
  box.region[1] = 32;
  EXPECT_OK(clpool_mem_read_box(cl.queue, mem.get(), &box, host.data(), 1024, 1, 0, nullptr, nullptr));
  EXPECT_EQ(clpool_mem_read_box(cl.queue, mem.get(), &box, host.data(), 1023, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("1023") && last_error_names("1024")) << last_error();
  EXPECT_EQ(clpool_mem_write_box(cl.queue, mem.get(), &box, host.data(), 1023, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  box.target_origin[0] = 1;
  EXPECT_EQ(clpool_mem_read_box(cl.queue, mem.get(), &box, host.data(), 1024, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  box.target_origin[0] = 0;
  box.source_origin[1] = 1024 / 32;
  EXPECT_EQ(clpool_mem_read_box(cl.queue, mem.get(), &box, host.data(), 1024, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  box.source_origin[1] = std::numeric_limits<size_t>::max() / 2;
  EXPECT_EQ(clpool_mem_read_box(cl.queue, mem.get(), &box, host.data(), 1024, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  box.source_origin[1] = 0;
  box.source_row_pitch = 31;
  EXPECT_EQ(clpool_mem_read_box(cl.queue, mem.get(), &box, host.data(), 1024, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("pitch")) << last_error();
  box.source_row_pitch = 0;
  box.dimensions = 4;
  EXPECT_EQ(clpool_mem_read_box(cl.queue, mem.get(), &box, host.data(), 1024, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  box.dimensions = 2;
  box.struct_size = 4;
  EXPECT_EQ(clpool_mem_read_box(cl.queue, mem.get(), &box, host.data(), 1024, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
}

TEST_P(EveryBox, AWrongOrderIsRefusedBeforeAnythingElse) {
  const OwnedMem mem = make(64);
  unsigned char host[64] = {};
  clpool_box box = CLPOOL_BOX_INIT;
  box.region[0] = box.region[1] = box.region[2] = 1;
  for (const auto& [queue, count, says] :
       {std::tuple(cl.queue, 1u, "wait_count is 1"),
        std::tuple<cl_command_queue, unsigned, const char*>(nullptr, 0u, "queue")}) {
    EXPECT_EQ(clpool_mem_read_box(queue, mem.get(), &box, host, 64, 1, count, nullptr, nullptr),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_TRUE(last_error_names(says)) << last_error();
    EXPECT_EQ(clpool_mem_write_box(queue, mem.get(), &box, host, 64, 1, count, nullptr, nullptr),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_TRUE(last_error_names(says)) << last_error();
  }
}

TEST_P(EveryBox, AnEmptyBoxIsNoCommand) {
  const OwnedMem mem = make(1024);
  clpool_box box;
  clpool_box_init(&box);
  cl_event event = nullptr;
  EXPECT_OK(clpool_mem_read_box(cl.queue, mem.get(), &box, nullptr, 0, 1, 0, nullptr, &event));
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(state_of(event), CL_COMPLETE);
  clReleaseEvent(event);
}

}  // namespace
