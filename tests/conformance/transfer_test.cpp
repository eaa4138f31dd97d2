// clpool/transfer.h: fills, copies, reads, writes, migration.
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

class EveryTransfer : public clpool::test::EveryBuffer {};
INSTANTIATE_FOR_EVERY_BUFFER(EveryTransfer);

cl_int state_of(cl_event event) {
  cl_int state = 1;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  return state;
}

TEST_P(EveryTransfer, HostToBufferToBufferToHostIsExact) {
  const std::vector<float> values = floats(50000);
  const OwnedMem first = make_with(values);
  const OwnedMem second = make(values.size() * sizeof(float));
  ASSERT_OK(
      clpool_mem_copy(cl.queue, second.get(), 0, first.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_EQ(content<float>(second.get(), values.size()), values);
}

TEST_P(EveryTransfer, TheDefaultSizeOfACopyIsTheSmallerOfBoth) {  // D-16
  const OwnedMem large = make_with(bytes(1087));
  const OwnedMem small = make_with(std::vector<unsigned char>(1024, 0));
  EXPECT_OK(
      clpool_mem_copy(cl.queue, small.get(), 0, large.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_EQ(content<unsigned char>(small.get(), 1024), bytes(1024));
  EXPECT_OK(
      clpool_mem_copy(cl.queue, large.get(), 0, small.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_OK(
      clpool_mem_copy(cl.queue, large.get(), 1000, small.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_EQ(content<unsigned char>(large.get(), 87, 1000), bytes(87));
}

TEST_P(EveryTransfer, ReadsAndWritesTakeAByteCountAndAnOffset) {  // W-19
  const OwnedMem mem = make_with(bytes(1000));
  std::vector<unsigned char> host(50, 0xEE);
  ASSERT_OK(clpool_mem_read(cl.queue, mem.get(), 300, 20, host.data(), host.size(), 1, 0, nullptr, nullptr));
  EXPECT_TRUE(std::equal(host.begin(), host.begin() + 20, bytes(1000).begin() + 300));
  EXPECT_EQ(host[20], 0xEE);
  const std::vector<unsigned char> news(50, 0x11);
  ASSERT_OK(clpool_mem_write(cl.queue, mem.get(), 990, CLPOOL_WHOLE_SIZE, news.data(), news.size(), 1, 0,
                             nullptr, nullptr));
  EXPECT_EQ(content<unsigned char>(mem.get(), 10, 990), std::vector<unsigned char>(10, 0x11));
}

TEST_P(EveryTransfer, NoHostByteBeyondItsSizeIsTouched) {  // D-37; AddressSanitizer sees the driver's memcpy
  const OwnedMem mem = make_with(bytes(1000));
  const auto host = std::make_unique<unsigned char[]>(100);
  EXPECT_EQ(clpool_mem_read(cl.queue, mem.get(), 0, 101, host.get(), 100, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("101") && last_error_names("100")) << last_error();
  EXPECT_EQ(clpool_mem_write(cl.queue, mem.get(), 0, 101, host.get(), 100, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_OK(
      clpool_mem_read(cl.queue, mem.get(), 0, CLPOOL_WHOLE_SIZE, host.get(), 100, 1, 0, nullptr, nullptr));
  EXPECT_OK(
      clpool_mem_write(cl.queue, mem.get(), 0, CLPOOL_WHOLE_SIZE, host.get(), 100, 1, 0, nullptr, nullptr));
}

TEST_P(EveryTransfer, RangesBeyondTheMemoryAreRefused) {
  const OwnedMem mem = make(1000);
  const OwnedMem other = make(100000);
  const size_t capacity = clpool_mem_capacity(mem.get());
  std::vector<unsigned char> host(2 * capacity);
  constexpr size_t most = std::numeric_limits<size_t>::max();
  for (const auto& [offset, size] : std::vector<std::pair<size_t, size_t>>{
           {0, capacity + 1}, {capacity, 1}, {capacity + 1, 0}, {most, 1}, {1, most - 1}}) {
    EXPECT_EQ(
        clpool_mem_read(cl.queue, mem.get(), offset, size, host.data(), host.size(), 1, 0, nullptr, nullptr),
        CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(
        clpool_mem_write(cl.queue, mem.get(), offset, size, host.data(), host.size(), 1, 0, nullptr, nullptr),
        CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(clpool_mem_copy(cl.queue, mem.get(), offset, other.get(), 0, size, 0, nullptr, nullptr),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(clpool_mem_copy(cl.queue, other.get(), 0, mem.get(), offset, size, 0, nullptr, nullptr),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(clpool_mem_fill(cl.queue, mem.get(), "x", 1, offset, size, 0, nullptr, nullptr),
              CLPOOL_ERROR_INVALID_VALUE);
  }
}

TEST_P(EveryTransfer, FillsRepeatThePatternWithinTheirRange) {
  const OwnedMem mem = make_with(std::vector<unsigned char>(1024, 0));
  const cl_uint pattern[2] = {0x01020304, 0xA0B0C0D0};
  ASSERT_OK(clpool_mem_fill(cl.queue, mem.get(), pattern, sizeof pattern, 64, 128, 0, nullptr, nullptr));
  const std::vector<cl_uint> words = content<cl_uint>(mem.get(), 256);
  EXPECT_EQ(words[15], 0u);
  EXPECT_EQ(words[16], pattern[0]);
  EXPECT_EQ(words[47], pattern[1]);
  EXPECT_EQ(words[48], 0u);
  ASSERT_OK(clpool_mem_fill(cl.queue, mem.get(), pattern, sizeof pattern, 512, CLPOOL_WHOLE_SIZE, 0, nullptr,
                            nullptr));
  EXPECT_EQ(content<cl_uint>(mem.get(), 256)[255], pattern[1]);
}

TEST_P(EveryTransfer, WrongPatternsAreRefusedByName) {
  const OwnedMem mem = make(1024);
  const unsigned char pattern[256] = {};
  const auto fill = [&](size_t pattern_size, size_t offset, size_t size) {
    return clpool_mem_fill(cl.queue, mem.get(), pattern, pattern_size, offset, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(fill(3, 0, 3), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("3 bytes")) << last_error();
  EXPECT_EQ(fill(0, 0, 4), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill(256, 0, 256), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill(4, 2, 4), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill(4, 0, 6), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_fill(cl.queue, mem.get(), nullptr, 4, 0, 4, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_OK(fill(128, 128, 256));
}

TEST_P(EveryTransfer, ZeroBytesAreNoCommandAndGiveACompletedEvent) {  // W-36
  const OwnedMem mem = make(1024);
  const OwnedMem other = make(1024);
  const auto expect_complete = [&](auto&& enqueue) {
    cl_event event = nullptr;
    EXPECT_OK(enqueue(&event));
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(state_of(event), CL_COMPLETE);
    clReleaseEvent(event);
    EXPECT_OK(enqueue(nullptr));
  };
  expect_complete(
      [&](cl_event* event) { return clpool_mem_fill(cl.queue, mem.get(), "x", 1, 0, 0, 0, nullptr, event); });
  expect_complete([&](cl_event* event) {
    return clpool_mem_copy(cl.queue, mem.get(), 0, other.get(), 0, 0, 0, nullptr, event);
  });
  expect_complete([&](cl_event* event) {
    return clpool_mem_read(cl.queue, mem.get(), 0, 0, nullptr, 0, 1, 0, nullptr, event);
  });
  expect_complete([&](cl_event* event) {
    return clpool_mem_write(cl.queue, mem.get(), 0, 0, nullptr, 0, 1, 0, nullptr, event);
  });
  expect_complete(
      [&](cl_event* event) { return clpool_mem_migrate(cl.queue, nullptr, 0, 0, 0, nullptr, event); });
}

TEST_P(EveryTransfer, ZeroBytesWaitForTheirEvents) {
  if (!cl.has_version(1, 1)) {
    GTEST_SKIP() << "user events need OpenCL 1.1";
  }
  const OwnedMem mem = make(1024);
  cl_int code = CL_SUCCESS;
  const cl_event gate = clCreateUserEvent(cl.context, &code);
  cl_event event = nullptr;
  ASSERT_OK(clpool_mem_fill(cl.queue, mem.get(), "x", 1, 0, 0, 1, &gate, &event));
  EXPECT_NE(state_of(event), CL_COMPLETE);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clWaitForEvents(1, &event);
  EXPECT_EQ(state_of(event), CL_COMPLETE);
  clReleaseEvent(event);
  clReleaseEvent(gate);
}

TEST_P(EveryTransfer, NonBlockingCommandsAreOrderedByEvents) {
  const std::vector<unsigned char> values = bytes(4096);
  const OwnedMem first = make(4096);
  const OwnedMem second = make(4096);
  std::vector<unsigned char> result(4096);
  cl_event events[3] = {};
  ASSERT_OK(clpool_mem_write(cl.queue, first.get(), 0, 4096, values.data(), 4096, 0, 0, nullptr, &events[0]));
  ASSERT_OK(clpool_mem_copy(cl.queue, second.get(), 0, first.get(), 0, 4096, 1, &events[0], &events[1]));
  ASSERT_OK(
      clpool_mem_read(cl.queue, second.get(), 0, 4096, result.data(), 4096, 0, 1, &events[1], &events[2]));
  clFlush(cl.queue);
  clWaitForEvents(1, &events[2]);
  EXPECT_EQ(result, values);
  for (cl_event event : events) {
    clReleaseEvent(event);
  }
}

TEST_P(EveryTransfer, OverlapsInTheSameMemoryAreRefusedAlsoThroughSubRegions) {
  const OwnedMem mem = make_with(bytes(64 * alignment()));
  EXPECT_EQ(clpool_mem_copy(cl.queue, mem.get(), 10, mem.get(), 0, 20, 0, nullptr, nullptr),
            CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_MEM_COPY_OVERLAP);
  EXPECT_OK(clpool_mem_copy(cl.queue, mem.get(), 20, mem.get(), 0, 20, 0, nullptr, nullptr));
  clpool_mem* region = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem.get(), alignment(), 8 * alignment(), 0, &region));
  const OwnedMem owner(region);
  EXPECT_EQ(clpool_mem_copy(cl.queue, region, 0, mem.get(), 0, 2 * alignment(), 0, nullptr, nullptr),
            CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_MEM_COPY_OVERLAP);
}

TEST_P(EveryTransfer, PageLockedMemoryIsCopiedAsHostMemory) {
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_pinned(cl.queue, 0, &allocator));
  clpool_mem* pinned = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator, 1000, &pinned));
  clpool_allocator_release(allocator);
  const OwnedMem owner(pinned);
  const std::vector<unsigned char> values = bytes(1000);
  std::copy(values.begin(), values.end(), static_cast<unsigned char*>(clpool_mem_pointer(pinned)));
  const OwnedMem mem = make(2000);
  EXPECT_OK(clpool_mem_copy(cl.queue, mem.get(), 1000, pinned, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_OK(clpool_mem_copy(cl.queue, pinned, 500, mem.get(), 1000, 100, 0, nullptr, nullptr));
  clFinish(cl.queue);
  EXPECT_TRUE(std::equal(values.begin(), values.begin() + 100,
                         static_cast<unsigned char*>(clpool_mem_pointer(pinned)) + 500));
  EXPECT_EQ(clpool_mem_fill(cl.queue, pinned, "x", 1, 0, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
}

TEST_P(EveryTransfer, MemoryIsMigratedToTheDeviceAndToTheHost) {
  const OwnedMem first = make_with(bytes(1000));
  const OwnedMem second = make(1000);
  clpool_mem* const mems[] = {first.get(), second.get()};
  cl_event event = nullptr;
  const clpool_status status =
      clpool_mem_migrate(cl.queue, mems, 2, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, &event);
  SKIP_IF_NOT_SUPPORTED(status);
  ASSERT_OK(status);
  clReleaseEvent(event);
  EXPECT_OK(clpool_mem_migrate(cl.queue, mems, 1, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr));
  clpool_mem* const none[] = {first.get(), nullptr};
  EXPECT_EQ(clpool_mem_migrate(cl.queue, none, 2, 0, 0, nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_P(EveryTransfer, MigratingAPartWithUndefinedContentLeavesTheRestAsItIs) {  // W-35
  const OwnedMem mem = make_with(bytes(64 * alignment()));
  clpool_mem* region = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem.get(), 8 * alignment(), 8 * alignment(), 0, &region));
  const OwnedMem owner(region);
  clpool_mem* const mems[] = {region, region};
  const clpool_status status =
      clpool_mem_migrate(cl.queue, mems, 2, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, nullptr);
  SKIP_IF_NOT_SUPPORTED(status);
  ASSERT_OK(status);
  EXPECT_EQ(content<unsigned char>(mem.get(), 8 * alignment()), bytes(8 * alignment()));
}

TEST_P(EveryTransfer, CopiesBetweenContextsTellWhichExtensionTheyNeed) {  // D-28
  const OwnedMem first = make(1000);
  const OwnedMem second = make(1000);
  const clpool_status status =
      clpool_mem_copy_p2p(cl.queue, first.get(), second.get(), CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr);
  if (status != CLPOOL_SUCCESS) {
    EXPECT_EQ(status, CLPOOL_ERROR_NOT_SUPPORTED) << last_error();
    EXPECT_TRUE(last_error_names("cl_amd_copy_buffer_p2p")) << last_error();
  }
}

TEST_P(EveryTransfer, WrongOrdersAreRefusedAndGiveNoEvent) {
  const OwnedMem mem = make(1000);
  auto event = reinterpret_cast<cl_event>(this);
  EXPECT_EQ(clpool_mem_fill(nullptr, mem.get(), "x", 1, 0, 1, 0, nullptr, &event),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(clpool_mem_fill(cl.queue, mem.get(), "x", 1, 0, 1, 1, nullptr, &event),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("wait_list")) << last_error();
  EXPECT_EQ(clpool_mem_fill(cl.queue, nullptr, "x", 1, 0, 1, 0, nullptr, &event), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("mem")) << last_error();
}

// Rectangular copies: arrays in C order, [slice][row][byte].
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

TEST_P(EveryBox, PartsOfOneBufferMayHaveDifferentPitches) {  // W-35: PoCL crashes on boxes of sub-buffers
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

TEST_P(EveryBox, BoxesBeyondEitherSideAreRefused) {  // D-37
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
  box.source_origin[1] = clpool_mem_capacity(mem.get()) / 32;
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
