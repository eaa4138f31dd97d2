// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Which device is chosen, over a made-up machine: two platforms with five devices.
#include "device/choice.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/environment.hpp"
#include "support/fake_device.hpp"

namespace clpool::core::device {
namespace {

using test::Variable;

DeviceEntry device(std::uintptr_t id, const char* name, const char* vendor, cl_device_type type,
                   cl_uint vendor_id, bool shares_host_memory = false) {
  return {.id = reinterpret_cast<cl_device_id>(id),
          .name = name,
          .vendor = vendor,
          .platform = "",
          .type = type,
          .vendor_id = vendor_id,
          .available = true,
          .shares_host_memory = shares_host_memory};
}

Catalog machine() {
  Catalog catalog(2);
  catalog[0] = {"Intel(R) OpenCL",
                "Intel(R) Corporation",
                {device(1, "Core i5", "Intel(R) Corporation", CL_DEVICE_TYPE_CPU, 0x8086),
                 device(2, "Iris Xe", "Intel(R) Corporation", CL_DEVICE_TYPE_GPU, 0x8086, true),
                 device(3, "Arria 10", "Intel(R) Corporation", CL_DEVICE_TYPE_ACCELERATOR, 0x8086)}};
  catalog[1] = {"NVIDIA CUDA",
                "NVIDIA Corporation",
                {device(4, "H200", "NVIDIA Corporation", CL_DEVICE_TYPE_GPU, 0x10DE),
                 device(5, "H200 MIG", "NVIDIA Corporation", CL_DEVICE_TYPE_GPU, 0x10DE)}};
  return catalog;
}

std::vector<std::uintptr_t> ids_of(const DeviceList& devices) {
  std::vector<std::uintptr_t> ids;
  for (const DeviceEntry* each : devices) {
    ids.push_back(reinterpret_cast<std::uintptr_t>(each->id));
  }
  return ids;
}

using Ids = std::vector<std::uintptr_t>;

class DeviceChoice : public testing::Test {
 protected:
  Ids chosen(const ChoiceOptions& options = {}) {
    Choice choice;
    EXPECT_EQ(choose(catalog, options, choice), Status::success) << last_error_message();
    return ids_of(choice.devices);
  }
  std::string refused(Status expected, const ChoiceOptions& options = {}) {
    Choice choice;
    EXPECT_EQ(choose(catalog, options, choice), expected);
    return last_error_message();
  }
  Ids for_tests() {
    DeviceList devices;
    EXPECT_EQ(choose_for_tests(catalog, devices), Status::success) << last_error_message();
    return ids_of(devices);
  }

  test::NoDeviceVariables none;
  Catalog catalog = machine();
};

TEST_F(DeviceChoice, PrefersGpusWithTheirOwnMemoryThenGpusThenAcceleratorsThenCpus) {
  EXPECT_EQ(chosen(), (Ids{4, 5, 2, 3, 1}));
}

TEST_F(DeviceChoice, ASimulatorThatCallsItselfEverythingIsNoRealGpu) {
  catalog[0].devices[1].type = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
  catalog.pop_back();
  EXPECT_EQ(chosen().front(), 3u);
}

TEST_F(DeviceChoice, LeavesOutDevicesThatAreNotAvailable) {
  catalog[1].devices[0].available = false;
  EXPECT_EQ(chosen().front(), 5u);
}

TEST_F(DeviceChoice, KeepsToTheKindsThatAreAskedFor) {
  EXPECT_EQ(chosen({.types = CL_DEVICE_TYPE_CPU}), Ids{1});
  EXPECT_EQ(
      refused(Status::not_found, {.types = CL_DEVICE_TYPE_CUSTOM, .ignore_environment = true}),
      "no device of type CL_DEVICE_TYPE_CUSTOM (0x10) among 2 platforms; tried: GPUs before accelerators "
      "before CPUs; there are: 'Intel(R) OpenCL' with 0 'Core i5', 1 'Iris Xe', 2 'Arria 10'; 'NVIDIA "
      "CUDA' with 0 'H200', 1 'H200 MIG'");
}

TEST_F(DeviceChoice, SaysWhichVariablesItLookedAt) {
  const Variable home("HOME", "/nonexistent");
  const Variable rank("SLURM_LOCALID", "1");
  const std::string text = refused(Status::not_found, {.types = CL_DEVICE_TYPE_CUSTOM, .by_rank = true});
  EXPECT_NE(text.find("tried: CLPOOL_DEVICE (not set), CLPOOL_TEST (not set), PYOPENCL_TEST (not set), "
                      "PYOPENCL_CTX (not set), CUDA_DEVICE (not set), ~/.cuda-device and ~/.cuda_device (not "
                      "there), GPUs before accelerators before CPUs; there are"),
            std::string::npos)
      << text;
}

TEST_F(DeviceChoice, TheProgramsOwnSelectorComesBeforeTheEnvironment) {
  const Variable variable("CLPOOL_DEVICE", "cpu");
  EXPECT_EQ(chosen({.selector = "nvidia:1"}), Ids{5});
  EXPECT_EQ(chosen({.selector = ""}), Ids{1});
  EXPECT_EQ(chosen({.ignore_environment = true}).front(), 4u);
}

TEST_F(DeviceChoice, ClpoolDeviceTakesAKindAnEntryOrAPartOfADevicesName) {
  const auto with = [&](const char* text) {
    const Variable variable("CLPOOL_DEVICE", text);
    return chosen();
  };
  EXPECT_EQ(with("GPU"), (Ids{4, 5, 2}));
  EXPECT_EQ(with("accelerator"), Ids{3});
  EXPECT_EQ(with("intel:iris"), Ids{2});
  EXPECT_EQ(with("Intel=1"), Ids{2});
  EXPECT_EQ(with("1:0"), Ids{4});
  EXPECT_EQ(with("-1:-1"), Ids{5});
  EXPECT_EQ(with("arria"), Ids{3});
}

TEST_F(DeviceChoice, TheOrderOfTheVariablesIsTheDocumentedOne) {
  const Variable cuda("CUDA_DEVICE", "1");
  EXPECT_EQ(chosen(), Ids{5});
  const Variable answers("PYOPENCL_CTX", "0:1");
  EXPECT_EQ(chosen(), Ids{2});
  const Variable pyopencl("PYOPENCL_TEST", "0:2");
  EXPECT_EQ(chosen(), Ids{3});
  const Variable clpool("CLPOOL_TEST", "1:0,1");
  EXPECT_EQ(chosen(), (Ids{4, 5}));
  const Variable device_variable("CLPOOL_DEVICE", "0:0");
  EXPECT_EQ(chosen(), Ids{1});
}

TEST_F(DeviceChoice, AVariableThatIsEmptyIsNotSet) {
  const Variable variable("CLPOOL_DEVICE", "");
  EXPECT_EQ(chosen().front(), 4u);
}

TEST_F(DeviceChoice, AFailureSaysWhatThereIs) {
  const Variable variable("CLPOOL_DEVICE", "radeon");
  const std::string text = refused(Status::not_found);
  EXPECT_NE(text.find("CLPOOL_DEVICE: no platform or device matches 'radeon'"), std::string::npos) << text;
  EXPECT_NE(text.find("'NVIDIA CUDA' with 0 'H200', 1 'H200 MIG'"), std::string::npos) << text;
}

TEST_F(DeviceChoice, AKindThatThereIsNotSaysWhatThereIs) {
  const Variable variable("CLPOOL_DEVICE", "accelerator");
  std::erase_if(catalog, [](const PlatformEntry& platform) {
    return std::any_of(platform.devices.begin(), platform.devices.end(), [](const DeviceEntry& device) {
      return (device.type & CL_DEVICE_TYPE_ACCELERATOR) != 0;
    });
  });
  const std::string text = refused(Status::not_found);
  EXPECT_NE(text.find("there is no device of kind 'accelerator', there are: "), std::string::npos) << text;
  EXPECT_NE(text.find("'NVIDIA CUDA' with 0 'H200', 1 'H200 MIG'"), std::string::npos) << text;
}

TEST_F(DeviceChoice, AFailureSaysWhatTheVariableThatDecidedWas) {
  const ChoiceOptions accelerator{.types = CL_DEVICE_TYPE_ACCELERATOR};
  {
    const Variable variable("CLPOOL_TEST", "1:0,1");
    EXPECT_NE(refused(Status::not_found, accelerator)
                  .find("tried: CLPOOL_DEVICE (not set), CLPOOL_TEST='1:0,1'; there are"),
              std::string::npos)
        << last_error_message();
  }
  const Variable variable("CUDA_DEVICE", "1");
  EXPECT_NE(refused(Status::not_found, accelerator).find("PYOPENCL_CTX (not set), CUDA_DEVICE=1; there are"),
            std::string::npos)
      << last_error_message();
}

TEST_F(DeviceChoice, WithoutAnyPlatformTheMessageAsksForADriver) {
  catalog.clear();
  EXPECT_NE(refused(Status::not_found).find("no OpenCL platform"), std::string::npos);
}

// PyOpenCL documents '=' and parses only ':'.
TEST_F(DeviceChoice, TestVariablesTakeBothSeparators) {
  const Variable variable("PYOPENCL_TEST", "0:1,arria;nvidia=1");
  EXPECT_EQ(for_tests(), (Ids{2, 3, 5}));
  const Variable pyopencl_example("PYOPENCL_TEST", "intel=i5,iris");
  EXPECT_EQ(for_tests(), (Ids{1, 2}));
}

TEST_F(DeviceChoice, TestsRunOnEveryDeviceUnlessAVariableSaysOtherwise) {
  EXPECT_EQ(for_tests(), (Ids{1, 2, 3, 4, 5}));
  const Variable pyopencl("PYOPENCL_TEST", "1");
  EXPECT_EQ(for_tests(), (Ids{4, 5}));
  const Variable clpool("CLPOOL_TEST", "intel:-1");
  EXPECT_EQ(for_tests(), Ids{3});
}

TEST_F(DeviceChoice, MalformedOrUnmatchedTestVariablesAreErrors) {
  const auto failing = [&](const char* text) {
    const Variable variable("PYOPENCL_TEST", text);
    DeviceList devices;
    return choose_for_tests(catalog, devices);
  };
  EXPECT_EQ(failing("0:1:2"), Status::bad_format);
  EXPECT_EQ(failing("0:1=2"), Status::bad_format);
  EXPECT_EQ(failing(":1"), Status::bad_format);
  EXPECT_EQ(failing("0:1,,2"), Status::bad_format);
  EXPECT_EQ(failing("0:7"), Status::not_found);
  EXPECT_EQ(failing("0:-4"), Status::not_found);
  EXPECT_EQ(failing("2"), Status::not_found);
  EXPECT_EQ(failing("amd"), Status::not_found);
}

TEST_F(DeviceChoice, PyopenclCtxAnswersMayBeEmptyButNotLeftOver) {
  const auto with = [&](const char* text) {
    const Variable variable("PYOPENCL_CTX", text);
    return chosen();
  };
  EXPECT_EQ(with("1"), Ids{4});
  EXPECT_EQ(with(":"), Ids{1});
  EXPECT_EQ(with(":1"), Ids{2});
  EXPECT_EQ(with("nvidia:"), Ids{4});
  EXPECT_EQ(with("nvidia:mig,0"), (Ids{5, 4}));
  const Variable variable("PYOPENCL_CTX", "0:1:2");
  EXPECT_NE(refused(Status::bad_format).find("3 answers"), std::string::npos);
}

TEST_F(DeviceChoice, CudaDeviceCountsNvidiasDevicesOrAllWhereThereAreNone) {
  const Variable variable("CUDA_DEVICE", "1");
  EXPECT_EQ(chosen(), Ids{5});
  catalog.pop_back();
  EXPECT_EQ(chosen(), Ids{3});
}

TEST_F(DeviceChoice, CudaDeviceMustBeANumberInRange) {
  const auto with = [&](const char* text, Status expected) {
    const Variable variable("CUDA_DEVICE", text);
    return refused(expected);
  };
  EXPECT_EQ(with("first", Status::bad_format), "CUDA_DEVICE: 'first' is not a device number (0, 1, …)");
  EXPECT_EQ(with("-1", Status::bad_format), "CUDA_DEVICE: '-1' is not a device number (0, 1, …)");
  EXPECT_EQ(with("2", Status::not_found), "CUDA_DEVICE: device 2 is out of range, there are 2");
}

// documented ~/.cuda-device, read ~/.cuda_device.
TEST_F(DeviceChoice, BothFilesOfThePycudaDefaultAreRead) {
  const auto home = std::filesystem::temp_directory_path() / ("clpool-choice-" + std::to_string(::getpid()));
  std::filesystem::create_directories(home);
  const Variable variable("HOME", home.c_str());
  std::ofstream(home / ".cuda_device") << "1\n";
  EXPECT_EQ(chosen(), Ids{5});
  std::ofstream(home / ".cuda-device") << " 0 \n";
  EXPECT_EQ(chosen(), Ids{4}) << "the documented name comes first";
  std::ofstream(home / ".cuda-device") << "GPU\n";
  EXPECT_EQ(refused(Status::bad_format), "~/.cuda-device: 'GPU' is not a device number (0, 1, …)");
  std::filesystem::remove(home / ".cuda-device");
  ASSERT_EQ(::mkfifo((home / ".cuda-device").c_str(), 0600), 0);
  EXPECT_EQ(chosen(), Ids{5}) << "a pipe is no file, and is not waited for";
  std::filesystem::remove_all(home);
}

TEST_F(DeviceChoice, ByRankProcessesOfANodeTakeTheBestDevicesInTurn) {
  const auto with = [&](const char* variable_name, const char* rank) {
    const Variable variable(variable_name, rank);
    return chosen({.by_rank = true});
  };
  EXPECT_EQ(with("SLURM_LOCALID", "0"), Ids{4});
  EXPECT_EQ(with("MPI_LOCALRANKID", "1"), Ids{5});
  EXPECT_EQ(with("OMPI_COMM_WORLD_LOCAL_RANK", "3"), Ids{5}) << "two GPUs with memory of their own";
  EXPECT_EQ(chosen({.by_rank = true}).front(), 4u) << "no launcher";
  const Variable named("CLPOOL_TEST", "0:0,1");
  EXPECT_EQ(with("SLURM_LOCALID", "3"), Ids{2}) << "round those that are named";
  const Variable third("SLURM_LOCALID", "3");
  EXPECT_EQ(chosen({.selector = "0:0,1", .by_rank = true}), Ids{2}) << "by the program, too";
  const Variable rank("SLURM_LOCALID", "x");
  EXPECT_NE(refused(Status::bad_format, {.by_rank = true}).find("SLURM_LOCALID"), std::string::npos);
}

TEST_F(DeviceChoice, TheRankIsIgnoredUnlessAskedFor) {
  const Variable variable("SLURM_LOCALID", "1");
  EXPECT_EQ(chosen().front(), 4u);
}

// PyCUDA's default context: the first device that gives one.
TEST_F(DeviceChoice, ADeviceWithoutAContextIsPassedOver) {
  Catalog real;
  ASSERT_EQ(read_catalog(real), Status::success);
  if (real.empty() || real[0].devices.empty()) {
    GTEST_SKIP() << "no OpenCL device";
  }
  const test::FakeDevice broken("broken", "somebody", 0x9999);
  real.insert(real.begin(), PlatformEntry{"Fake", "somebody", {DeviceEntry{}}});
  read_device(broken.id(), real[0].devices[0]);
  real[0].devices[0].available = true;
  DefaultContext result;
  ASSERT_EQ(create_default_context(real, {}, result), Status::success) << last_error_message();
  EXPECT_NE(result.device, broken.id());
  EXPECT_NE(result.queue.get(), nullptr);
}

TEST_F(DeviceChoice, WhetherADeviceSharesTheHostsMemoryIsItsOwnAnswer) {
  test::FakeDevice device("device", "somebody", 0x9999);
  DeviceEntry entry;
  for (const bool shares : {true, false}) {
    device.value<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY, shares ? CL_TRUE : CL_FALSE);
    read_device(device.id(), entry);
    EXPECT_EQ(entry.shares_host_memory, shares);
  }
}

TEST_F(DeviceChoice, WithoutAnyContextTheMessageListsEachDeviceWithItsError) {
  const test::FakeDevice first("first", "somebody", 0x9999);
  const test::FakeDevice second("second", "somebody", 0x9999);
  Catalog broken(1);
  broken[0] = {"Fake", "somebody", std::vector<DeviceEntry>(2)};
  read_device(first.id(), broken[0].devices[0]);
  read_device(second.id(), broken[0].devices[1]);
  broken[0].devices[0].available = broken[0].devices[1].available = true;
  DefaultContext result;
  EXPECT_EQ(create_default_context(broken, {}, result), Status::opencl);
  const std::string text = last_error_message();
  EXPECT_NE(text.find("no context on any of 2 devices"), std::string::npos) << text;
  EXPECT_NE(text.find("(first [Fake]: CL_DEVICE_NOT_AVAILABLE, second [Fake]: CL_DEVICE_NOT_AVAILABLE)"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace clpool::core::device
