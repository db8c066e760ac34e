// Modules by their paths in the program, with their classes: annotations of CUDA graphs have paths
// (`layers.3.mlp`), calls that the profiler recorded have classes, with the numbers of instances
// (`MLP_3`). If a trace has both, they are two descriptions of one tree, and are joined by
// position: what is the k-th in a module there is the k-th here, if both have as many, and as many
// below each; otherwise the k-th of those whose first kernel has one name, if both have as many.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "classify/attribution.hpp"
#include "trace/trace.hpp"

namespace kr::trees {

class ModulePaths {
 public:
  struct Module {
    std::string_view path;  // views are of the host trace
    std::string_view name;  // of its class
  };

  /// The trace outlives it. Only modules with operations count, in the order of their first one.
  ModulePaths(const trace::Trace& trace, const classify::Attribution& attribution);

  /// Of a range in HostTrace::ranges, which is a call of the module or has its path; null: it is
  /// not joined.
  const Module* of(uint32_t range) const noexcept {
    return modules_.empty() || module_of_[range] == none ? nullptr : &modules_[module_of_[range]];
  }
  /// Whether a range has a path, and none around it: above it are the modules `above`.
  bool is_outermost_path(uint32_t range) const noexcept {
    return !modules_.empty() && outermost_[range];
  }
  /// The calls that are above all paths, the outermost first: the root has no path.
  const std::vector<std::string_view>& above() const noexcept { return above_; }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  std::vector<Module> modules_;
  std::vector<uint32_t> module_of_;  // by range
  std::vector<bool> outermost_;      // by range
  std::vector<std::string_view> above_;
};

}  // namespace kr::trees
