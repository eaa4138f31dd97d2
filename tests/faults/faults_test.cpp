// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The sweeps: every scenario on every kind of device, with OpenCL calls that fail and with host memory that
// runs out.
#include <gtest/gtest.h>

#include <cstdio>

#include "faults/sweep.hpp"

namespace clpool::test {
namespace {

struct Profile {
  const char* name;
  const char* options;
};

constexpr Profile profiles[] = {{"Default", ""},
                                {"Nvidia", "nvidia=1,align=512"},
                                {"OpenCl11", "version=1.1,svm=none,align=4096,handles=error"},
                                {"Lazy", "lazy=1"}};

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto& part : {pool_scenarios(), queue_scenarios(), limit_scenarios(), memory_scenarios(),
                           transfer_scenarios(), image_scenarios(), device_scenarios(), host_scenarios()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

struct Case {
  Scenario scenario;
  Profile profile;
  friend std::ostream& operator<<(std::ostream& stream, const Case& one) {
    return stream << one.scenario.name << " on the device " << one.profile.name;
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Profile& profile : profiles) {
    for (const Scenario& scenario : all_scenarios()) {
      all.push_back({scenario, profile});
    }
  }
  return all;
}

class Faults : public testing::TestWithParam<Case> {
 protected:
  Faults() {
    stub_reset();
    options_ = std::string("mode=immediate,deadlock=abort,") + GetParam().profile.options;
    stub_configure(options_.c_str());
  }
  std::string options_;
};

TEST_P(Faults, OfOpenClLeaveNothingBehindAndAreTold) {
  Sweep sweep(GetParam().scenario, GetParam().profile.name, options_);
  if (std::string reason; !sweep.can_run(reason)) {
    GTEST_SKIP() << reason;
  }
  sweep.fail_calls();
}

TEST_P(Faults, OfHostMemoryLeaveNothingBehindAndAreTold) {
  Sweep sweep(GetParam().scenario, GetParam().profile.name, options_);
  if (std::string reason; !sweep.can_run(reason)) {
    GTEST_SKIP() << reason;
  }
  sweep.fail_allocations();
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::ValuesIn(cases()), [](const auto& one) {
  return std::string(one.param.profile.name) + one.param.scenario.name;
});

class Summary : public testing::Environment {
 public:
  void SetUp() override { report_deaths(); }
  void TearDown() override {
    const Totals& all = totals();
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf(
        "faults: %llu calls x %llu codes, %llu allocations x %llu scenarios = %llu injected, "
        "%llu survived (%llu refused, %llu recovered)\n",
        number(all.calls), number(all.codes), number(all.allocations), number(all.scenarios.size()),
        number(all.injected), number(all.refused + all.recovered), number(all.refused),
        number(all.recovered));
  }
};

const testing::Environment* const summary = testing::AddGlobalTestEnvironment(new Summary);

}  // namespace
}  // namespace clpool::test
