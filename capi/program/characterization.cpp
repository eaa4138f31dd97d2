// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The questions, in the order in which they are shown.
#include "characterization.hpp"

#include <clpool/clpool.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "failure.hpp"
#include "units.hpp"

namespace clpool::program {
namespace {

using Show = std::function<std::string(const clpool_answer&)>;
using Ask = std::function<clpool_status(clpool_answer*)>;

std::string show_yes_or_no(const clpool_answer& answer) {
  return answer.value < 0 ? "unknown" : (answer.value != 0 ? "yes" : "no");
}

std::string show_bytes(const clpool_answer& answer) {
  return human_bytes(static_cast<std::uint64_t>(answer.value));
}

Show counted(const char* unit) {
  return [unit](const clpool_answer& answer) { return fmt::format("{} {}", answer.value, unit); };
}

std::string show_number(const clpool_answer& answer) {
  return fmt::format("{}", answer.value);
}

class Asker {
 public:
  Asker(const Device& device, std::uint32_t model) : device_(device), model_(model) {}

  /// True if there is an answer.
  bool ask(const char* name, const char* title, const Show& show, const Ask& question) {
    clpool_answer answer = CLPOOL_ANSWER_INIT;
    const clpool_status status = question(&answer);
    if (status == CLPOOL_ERROR_NOT_SUPPORTED) {  // a model that has no answer for such devices
      findings_.push_back({name, title, "refused", answer.value, std::nullopt,
                           clpool_source_name(CLPOOL_SOURCE_NONE), "", clpool_last_error_message()});
      return false;
    }
    check(status);
    const bool applies = answer.source != CLPOOL_SOURCE_NOT_APPLICABLE;
    findings_.push_back({name, title, applies ? show(answer) : "–", answer.value, std::nullopt,
                         clpool_source_name(answer.source), answer.basis, answer.note});
    return applies && answer.source != CLPOOL_SOURCE_NONE;
  }
  /// The same for an answer that is a list, which `question` writes to `numbers`.
  void ask_list(const char* name, const char* title, const Show& show,
                const std::vector<std::uint32_t>& numbers, const Ask& question) {
    const bool is_known = ask(name, title, show, question);
    findings_.back().numbers = is_known ? numbers : std::vector<std::uint32_t>();
  }
  cl_device_id id() const { return device_.id; }
  std::uint32_t model() const { return model_; }
  cl_platform_id platform() const { return device_.platform; }
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  const Device& device_;
  const std::uint32_t model_;
  std::vector<Finding> findings_;
};

void ask_widths(Asker& asker) {
  asker.ask("simd_group_size", "SIMD width", counted("work items"), [&](clpool_answer* answer) {
    return clpool_characterize_simd_group_size(asker.id(), asker.model(), answer);
  });
  std::vector<std::uint32_t> sizes(16);
  asker.ask_list(
      "simd_group_sizes", "SIMD widths of kernels",
      [&](const clpool_answer&) { return fmt::format("{}", fmt::join(sizes, ", ")); }, sizes,
      [&](clpool_answer* answer) {
        std::size_t count = 0;
        const clpool_status status =
            clpool_characterize_simd_group_sizes(asker.id(), sizes.data(), sizes.size(), &count, answer);
        sizes.resize(count < sizes.size() ? count : sizes.size());
        return status;
      });
  asker.ask("work_group_size_multiple", "group sizes: a multiple of", counted("work items"),
            [&](clpool_answer* answer) {
              return clpool_characterize_work_group_size_multiple(asker.id(), nullptr, asker.model(), answer);
            });
  asker.ask("sub_groups", "most sub-groups of a group", show_number,
            [&](clpool_answer* answer) { return clpool_characterize_sub_groups(asker.id(), answer); });
}

void ask_local_memory(Asker& asker) {
  asker.ask("usable_local_memory", "usable local memory", show_bytes, [&](clpool_answer* answer) {
    return clpool_characterize_usable_local_memory(asker.id(), -1, answer);
  });
  asker.ask("local_bank_count", "local memory: banks", counted("banks"), [&](clpool_answer* answer) {
    return clpool_characterize_local_bank_count(asker.id(), asker.model(), answer);
  });
  asker.ask("local_access_granularity", "local memory: width of a bank", counted("bytes"),
            [&](clpool_answer* answer) {
              return clpool_characterize_local_access_granularity(asker.id(), asker.model(), answer);
            });
  asker.ask("local_access_work_items", "local memory: served together", counted("work items"),
            [&](clpool_answer* answer) {
              return clpool_characterize_local_access_work_items(asker.id(), asker.model(), answer);
            });
}

void ask_svm(Asker& asker) {
  constexpr struct {
    std::uint32_t kind;
    const char* name;
    const char* title;
  } kinds[] = {
      {CLPOOL_SVM_KIND_COARSE_BUFFER, "svm_coarse_buffer", "SVM: coarse-grain buffers"},
      {CLPOOL_SVM_KIND_FINE_BUFFER, "svm_fine_buffer", "SVM: fine-grain buffers"},
      {CLPOOL_SVM_KIND_FINE_BUFFER_ATOMICS, "svm_fine_buffer_atomics", "SVM: the same with atomics"},
      {CLPOOL_SVM_KIND_FINE_SYSTEM, "svm_fine_system", "SVM: fine-grain system memory"},
      {CLPOOL_SVM_KIND_FINE_SYSTEM_ATOMICS, "svm_fine_system_atomics", "SVM: the same with atomics"}};
  for (const auto& [kind, name, title] : kinds) {
    asker.ask(name, title, show_yes_or_no, [&, svm = kind](clpool_answer* answer) {
      return clpool_characterize_svm(asker.id(), svm, asker.model(), answer);
    });
  }
}

void ask_platform(Asker& asker) {
  std::vector<std::uint32_t> version(2);
  const Show show_version = [&](const clpool_answer& answer) {
    return answer.source == CLPOOL_SOURCE_NONE ? "unknown" : fmt::format("{}", fmt::join(version, "."));
  };
  asker.ask_list(
      "compute_capability", "compute capability", show_version, version, [&](clpool_answer* answer) {
        return clpool_characterize_compute_capability(asker.id(), &version[0], &version[1], answer);
      });
  asker.ask_list("pocl_version", "version of PoCL", show_version, version, [&](clpool_answer* answer) {
    return clpool_characterize_pocl_version(asker.platform(), &version[0], &version[1], answer);
  });
  asker.ask("source_build_cache", "driver keeps built programs", show_yes_or_no, [&](clpool_answer* answer) {
    return clpool_characterize_source_build_cache(asker.id(), answer);
  });
  asker.ask("struct_argument_bug", "miscounts struct arguments", show_yes_or_no, [&](clpool_answer* answer) {
    return clpool_characterize_struct_argument_bug(asker.id(), nullptr, answer);
  });
}

std::string build_options_of(cl_device_id device, std::uint32_t model) {
  std::size_t needed = 0;
  check(clpool_characterize_fast_build_options(device, model, nullptr, 0, &needed));
  std::string text(needed, '\0');
  check(clpool_characterize_fast_build_options(device, model, text.data(), needed, &needed));
  text.pop_back();
  return text;
}

}  // namespace

Characterization characterize(const Device& device, std::uint32_t model) {
  Asker asker(device, model);
  ask_widths(asker);
  ask_local_memory(asker);
  asker.ask("double_support", "double", show_yes_or_no, [&](clpool_answer* answer) {
    return clpool_characterize_double_support(asker.id(), asker.model(), answer);
  });
  asker.ask("amd_double_support", "double by cl_amd_fp64", show_yes_or_no, [&](clpool_answer* answer) {
    return clpool_characterize_amd_double_support(asker.id(), answer);
  });
  ask_svm(asker);
  ask_platform(asker);
  return {asker.take(), build_options_of(device.id, model)};
}

}  // namespace clpool::program
