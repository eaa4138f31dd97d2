// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Everything that is asked about devices, of devices of many sorts, and with each question of the driver refused in turn.
#include <cstring>

#include "transcripts/place.hpp"

namespace clpool::transcripts {
namespace {

constexpr std::uint32_t models[] = {CLPOOL_MODEL_CURRENT, CLPOOL_MODEL_PYOPENCL, CLPOOL_MODEL_PYCUDA_2014, 9};

std::string told(clpool_status status, const clpool_answer& answer) {
  return std::to_string(status) + ' ' + std::to_string(answer.source) + ' ' + std::to_string(answer.value) +
         ' ' + (answer.basis != nullptr ? answer.basis : "NULL") + ' ' +
         (answer.note != nullptr ? answer.note : "NULL");
}

class Questions {
 public:
  Questions(const char* options, Transcript& transcript)
      : place_(std::string(options) +
               ",clFinish=3us,clEnqueueNDRangeKernel=1us,time.kernel=40us,time.write=20us,time.read=25us,"
               "time.copy=10us"),
        transcript_(transcript) {
    const char* source = "kernel void fill(global float* a, float b) {}";
    program_ = clCreateProgramWithSource(place_.context, 1, &source, nullptr, nullptr);
    clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr);
    kernel_ = clCreateKernel(program_, "fill", nullptr);
  }
  ~Questions() {
    if (kernel_ != nullptr) {
      clReleaseKernel(kernel_);
    }
    clReleaseProgram(program_);
  }

  void run() {
    ask_all();
    performance();
    constexpr cl_int codes[] = {CL_INVALID_VALUE, CL_OUT_OF_HOST_MEMORY};
    for (unsigned nth = 1; nth <= 8; ++nth) {
      for (const cl_int code : codes) {
        for (const char* name :
             {"clGetDeviceInfo", "clGetPlatformInfo", "clGetDeviceIDs", "clGetContextInfo",
              "clGetKernelWorkGroupInfo", "clGetKernelSubGroupInfo", "clBuildProgram", "clCreateKernel"}) {
          if (nth > 2 && std::strcmp(name, "clGetDeviceInfo") != 0) {
            continue;  // they are asked less often
          }
          failing_ = name;
          nth_ = nth;
          code_ = code;
          ask_all();
        }
      }
    }
  }

 private:
  /// `question` with an answer that has something else in it before.
  template <typename Question>
  void ask(const char* name, const Question& question) {
    clpool_answer answer = CLPOOL_ANSWER_INIT;
    answer.value = 77;
    answer.source = 7;
    const clpool_status status = watched([&] { return question(&answer); });
    transcript_.note(std::string(name) + ' ' + told(status, answer));
  }
  template <typename Call>
  clpool_status watched(const Call& call) {
    if (failing_ != nullptr) {
      stub_fail(failing_, nth_, code_);
    }
    const clpool_status status = call();
    stub_fail_none();
    return status;
  }

  void ask_all() {
    const cl_device_id device = place_.device;
    for (const std::uint32_t model : models) {
      ask("double", [&](clpool_answer* a) { return clpool_characterize_double_support(device, model, a); });
      ask("granularity",
          [&](clpool_answer* a) { return clpool_characterize_local_access_granularity(device, model, a); });
      ask("work items",
          [&](clpool_answer* a) { return clpool_characterize_local_access_work_items(device, model, a); });
      ask("banks", [&](clpool_answer* a) { return clpool_characterize_local_bank_count(device, model, a); });
      ask("simd", [&](clpool_answer* a) { return clpool_characterize_simd_group_size(device, model, a); });
      ask("multiple", [&](clpool_answer* a) {
        return clpool_characterize_work_group_size_multiple(device, place_.context, model, a);
      });
      ask("conflicts", [&](clpool_answer* a) { return conflicts(model, a); });
      for (std::uint32_t kind = 0; kind < 6; ++kind) {
        ask("svm", [&](clpool_answer* a) { return clpool_characterize_svm(device, kind, model, a); });
      }
      char text[200] = "";
      std::size_t needed = 0;
      const clpool_status status = watched(
          [&] { return clpool_characterize_fast_build_options(device, model, text, sizeof text, &needed); });
      transcript_.note("build " + std::to_string(status) + ' ' + text + ' ' + std::to_string(needed));
      data(model);
    }
    ask("amd", [&](clpool_answer* a) { return clpool_characterize_amd_double_support(device, a); });
    ask("cache", [&](clpool_answer* a) { return clpool_characterize_source_build_cache(device, a); });
    ask("sub-groups", [&](clpool_answer* a) { return clpool_characterize_sub_groups(device, a); });
    ask("simd of kernel",
        [&](clpool_answer* a) { return clpool_characterize_simd_group_size_of_kernel(device, kernel_, a); });
    ask("struct",
        [&](clpool_answer* a) { return clpool_characterize_struct_argument_bug(device, place_.context, a); });
    ask("local", [&](clpool_answer* a) { return clpool_characterize_usable_local_memory(device, 3, a); });
    ask("local of kernel", [&](clpool_answer* a) {
      return clpool_characterize_usable_local_memory_of_kernel(device, kernel_, a);
    });
    std::uint32_t numbers[8] = {};
    std::size_t count = 0;
    ask("simds", [&](clpool_answer* a) {
      return clpool_characterize_simd_group_sizes(device, numbers, 8, &count, a);
    });
    ask("capability", [&](clpool_answer* a) {
      return clpool_characterize_compute_capability(device, numbers, numbers + 1, a);
    });
    ask("pocl", [&](clpool_answer* a) {
      return clpool_characterize_pocl_version(fuzz::stub_platform(), numbers, numbers + 1, a);
    });
    transcript_.note("numbers " + std::to_string(numbers[0]) + ' ' + std::to_string(numbers[1]) + ' ' +
                     std::to_string(count));
    choose();
  }
  clpool_status conflicts(std::uint32_t model, clpool_answer* answer) {
    const std::size_t shape[] = {16, 17};
    char text[300] = "";
    std::size_t needed = 0;
    const clpool_status status = clpool_characterize_local_access_conflicts(
        place_.device, model, 4, shape, 2, shape, 2, answer, text, sizeof text, &needed);
    transcript_.note(std::string(text) + ' ' + std::to_string(needed));
    return status;
  }
  void data(std::uint32_t model) {
    clpool_device_data* made = nullptr;
    const clpool_status status =
        watched([&] { return clpool_device_data_create_from_device(place_.device, model, &made); });
    clpool_device_limits limits = CLPOOL_DEVICE_LIMITS_INIT;
    if (made != nullptr) {
      clpool_device_data_limits(made, &limits);
      clpool_device_data_release(made);
    }
    transcript_.note("data " + std::to_string(status) + ' ' + std::to_string(limits.warp_size) + ' ' +
                     std::to_string(limits.local_per_group) + ' ' + std::to_string(limits.registers_per_mp) +
                     ' ' + std::to_string(limits.max_threads_per_group) + ' ' +
                     (limits.note != nullptr ? limits.note : ""));
  }
  void choose() {
    for (const char* selector :
         {"", "0", "0:0", "1", "gpu", "clpool", "stub device", "none of these", "0:7", "cpu"}) {
      clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
      options.selector = selector;
      cl_device_id device = nullptr;
      cl_device_id devices[8] = {};
      std::size_t count = 0;
      const clpool_status chosen = watched([&] { return clpool_device_choose(&options, &device); });
      const clpool_status listed = watched([&] { return clpool_device_list(&options, devices, 8, &count); });
      const clpool_status tested = watched([&] { return clpool_device_list_for_tests(devices, 8, &count); });
      transcript_.note(std::string("choose ") + selector + ' ' + std::to_string(chosen) +
                       (device != nullptr ? " one " : " ") + std::to_string(listed) + ' ' +
                       std::to_string(tested) + ' ' + std::to_string(count));
    }
    char text[500] = "";
    std::size_t needed = 0;
    const clpool_status status =
        watched([&] { return clpool_device_describe(place_.device, text, sizeof text, &needed); });
    transcript_.note("describe " + std::to_string(status) + ' ' + text);
  }
  void performance() {
    for (unsigned i = 1; i < 4; ++i) {
      clpool_performance_options options = CLPOOL_PERFORMANCE_OPTIONS_INIT;
      options.repetitions = 2 * i + 1;
      options.warm_ups = i;
      options.transfer_bytes = std::uint64_t{4096} << i;
      options.least_ns = 200'000 * i;
      clpool_performance figures = CLPOOL_PERFORMANCE_INIT;
      const clpool_status status = watched(
          [&] { return clpool_characterize_performance(place_.context, place_.device, &options, &figures); });
      std::string text = "performance " + std::to_string(status);
      for (const std::uint64_t figure :
           {figures.write_latency_ns, figures.read_latency_ns, figures.copy_latency_ns,
            figures.write_bandwidth, figures.read_bandwidth, figures.copy_bandwidth, figures.empty_kernel_ns,
            figures.kernel_round_trip_ns, static_cast<std::uint64_t>(figures.profiling_overhead_ns),
            figures.transfer_bytes}) {
        text += ' ' + std::to_string(figure);
      }
      transcript_.note(text);
    }
  }

  Place place_;
  Transcript& transcript_;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  const char* failing_ = nullptr;  ///< which entry point does, in each question
  unsigned nth_ = 0;
  cl_int code_ = 0;
};

constexpr const char* sorts[] = {"mode=immediate,devices=2",
                                 "mode=immediate,nvidia=1,align=512",
                                 "mode=immediate,version=1.1,svm=none",
                                 "mode=immediate,version=1.2,svm=none,type=cpu",
                                 "mode=immediate,version=2.0,type=accelerator,svm=fine",
                                 "mode=immediate,version=2.1,with=cl_khr_subgroups+cl_khr_fp64,unified=1",
                                 "mode=immediate,compiler=0,images=0,without=cl_khr_fp64,devices=3"};

}  // namespace

void add_devices(std::vector<Group>& groups) {
  for (unsigned i = 0; i < std::size(sorts); ++i) {
    add_program(groups, "devices_" + std::to_string(i),
                [i](Transcript& transcript) { Questions(sorts[i], transcript).run(); });
  }
}

}  // namespace clpool::transcripts
