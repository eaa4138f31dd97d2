// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a block was bound to ends, as by another thread, and the program gives that queue up, while the library is using it.
#include <functional>
#include <vector>

#include "orderings/declared_uses.hpp"

namespace clpool::test {
namespace {

class BindingEnds : public DeclaredUses {
 protected:
  /// Binds the block to a new queue and runs `action`, in whose first, second … driver call `end` runs, after which nobody but the
  /// library has the queue. How often it had so many.
  int try_each_call(const std::function<void()>& action, const std::function<void()>& end) {
    make({home});
    int done = 0;
    for (int calls = 0; calls < 16; ++calls) {
      cl_int code = CL_SUCCESS;
      cl_command_queue bound =
          clCreateCommandQueueWithProperties(scene.cl.context, scene.cl.device, nullptr, &code);
      EXPECT_EQ(code, CL_SUCCESS);
      EXPECT_OK(clpool_mem_bind_queue(mem, bound));
      Ending ending{end, bound, calls};
      stub_set_hook(Ending::look, &ending);
      action();
      stub_set_hook(nullptr, nullptr);
      if (!ending.is_done) {
        EXPECT_EQ(clReleaseCommandQueue(bound), CL_SUCCESS);
      }
      done += ending.is_done ? 1 : 0;
      if (mem != nullptr) {
        EXPECT_OK(clpool_mem_release(mem));
      }
      EXPECT_EQ(pending_at_last(), 0U);
      EXPECT_OK(clpool_pool_allocate(pool.get(), block_size, &mem));
    }
    EXPECT_OK(clpool_mem_release(mem));
    return done;
  }

 private:
  struct Ending {
    const std::function<void()>& end;
    cl_command_queue bound;
    int calls_before;
    bool is_done = false;
    static void look(const char*, void* user) {
      auto& self = *static_cast<Ending*>(user);
      if (self.calls_before-- == 0) {
        self.end();
        EXPECT_EQ(clReleaseCommandQueue(self.bound), CL_SUCCESS);
        self.is_done = true;
      }
    }
  };
};

TEST_F(BindingEnds, WhileAUseIsDeclared) {
  EXPECT_GE(try_each_call([&] { EXPECT_OK(clpool_mem_used_on(mem, third)); },
                          [&] { EXPECT_OK(clpool_mem_unbind_queue(mem)); }),
            3);
}

TEST_F(BindingEnds, WhileTheBlockIsBoundToAnotherQueue) {
  EXPECT_GE(try_each_call([&] { EXPECT_OK(clpool_mem_bind_queue(mem, third)); },
                          [&] { EXPECT_OK(clpool_mem_bind_queue(mem, fourth)); }),
            3);
}

TEST_F(BindingEnds, WhileTheBlockIsUnbound) {
  EXPECT_GE(try_each_call([&] { EXPECT_OK(clpool_mem_unbind_queue(mem)); },
                          [&] { EXPECT_OK(clpool_mem_bind_queue(mem, fourth)); }),
            1);
}

TEST_F(BindingEnds, WhileTheBlockIsReleasedBehindThatQueue) {
  std::vector<cl_event> events;
  const auto release = [&] {
    EXPECT_OK(clpool_mem_release_on(mem, nullptr, 0, nullptr, &events.emplace_back()));
    mem = nullptr;
  };
  const auto end = [&] {
    const clpool_status status = clpool_mem_bind_queue(mem, fourth);
    EXPECT_TRUE(status == CLPOOL_SUCCESS || status == CLPOOL_ERROR_INVALID_OPERATION) << "released by then";
  };
  EXPECT_GE(try_each_call(release, end), 3);
  for (cl_event event : events) {
    EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
  }
}

}  // namespace
}  // namespace clpool::test
