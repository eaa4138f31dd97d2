// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Names of models.
#include "model.hpp"

#include <clpool/answer.h>
#include <CLI/CLI.hpp>

#include "words.hpp"

namespace clpool::program {

const char* model_name(std::uint32_t model) {
  return model == CLPOOL_MODEL_CURRENT       ? "current"
         : model == CLPOOL_MODEL_PYCUDA_2014 ? "pycuda-2014"
                                             : "pyopencl";
}

void add_model_option(CLI::App& verb, std::uint32_t& model) {
  verb.add_option_function<std::string>(
          "--model",
          [&model](const std::string& name) {
            model = name == "current"       ? CLPOOL_MODEL_CURRENT
                    : name == "pycuda-2014" ? CLPOOL_MODEL_PYCUDA_2014
                                            : CLPOOL_MODEL_PYOPENCL;
          },
          "Whose rules answer: today's (current), those of PyOpenCL and PyCUDA (pyopencl, the same as "
          "pycuda), "
          "or of PyCUDA 2014.1 (pycuda-2014)")
      ->check(one_of({"current", "pyopencl", "pycuda", "pycuda-2014"}))
      ->default_str("current");
}

}  // namespace clpool::program
