// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Choosing a device, and the default context on it.
#pragma once

#include <CL/cl.h>

#include <string>

#include "base/status.hpp"
#include "cl/handle.hpp"
#include "device/catalog.hpp"
#include "device/selector.hpp"

namespace clpool::core::device {

struct ChoiceOptions {
  const char* selector = nullptr;  ///< what CLPOOL_DEVICE may say; null: ask the environment
  cl_device_type types = 0;        ///< kinds that may be chosen; 0: any
  bool ignore_environment = false;
  bool by_rank = false;  ///< processes of one node take different devices
};

/// Devices that may be used, best first, and how they were found.
struct Choice {
  DeviceList devices;  ///< into the catalog; not empty after success
  std::string tried;   ///< what was asked, in order, with what it said
};

/// The order: options.selector, CLPOOL_DEVICE, CLPOOL_TEST, PYOPENCL_TEST, PYOPENCL_CTX, CUDA_DEVICE and its
/// files, then by_preference(). The first that is set decides alone. NOT_FOUND says what was tried.
Status choose(const Catalog& catalog, const ChoiceOptions& options, Choice& choice);

/// Devices that tests are to run on: all that CLPOOL_TEST, else PYOPENCL_TEST, names; without either, all.
Status choose_for_tests(const Catalog& catalog, DeviceList& devices);

struct DefaultContext {
  cl_device_id device = nullptr;
  cl::Context context;
  cl::Queue queue;  ///< in order, no profiling
};

/// Context and queue on the first chosen device that gives them.
Status create_default_context(const Catalog& catalog, const ChoiceOptions& options, DefaultContext& result);

}  // namespace clpool::core::device
