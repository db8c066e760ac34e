// Where rules files are found: what `use` and `--rules` name.
//
// Roots are folders that hold `stdlib/` and `rulesets/`: those of KR_PATH, then the data folder
// of the install, `<bin>/../share/kr` (a build tree has one that leads to the sources).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr {

class Library {
 public:
  explicit Library(std::vector<std::filesystem::path> roots) : roots_(std::move(roots)) {}

  /// The roots of this process: KR_PATH (`:` between folders), then that of the install.
  static Library of_process();

  /// The data folder of the install or build tree that this program is in, there or not.
  static std::filesystem::path install_folder();
  /// Whether `path` is a file of the install's data folder that only who installed kr, this user or
  /// the superuser can have written.
  static bool installed(const std::filesystem::path& path);

  const std::vector<std::filesystem::path>& roots() const noexcept { return roots_; }

  /// `std.gemm` is ROOT/stdlib/gemm.kr, `rulesets.vllm` ROOT/rulesets/vllm.kr; `std.a.b` is
  /// ROOT/stdlib/a/b.kr. The first root that has the file.
  std::optional<std::filesystem::path> module(std::string_view dotted) const;
  /// A shipped ruleset by its name: `vllm`. The first root that has it.
  std::optional<std::filesystem::path> ruleset(std::string_view name) const;
  /// The names of all shipped rulesets, sorted.
  std::vector<std::string> rulesets() const;
  /// The dotted names of all modules there are (`std.gemm`, `rulesets.vllm`), sorted.
  std::vector<std::string> modules() const;
  /// How a file is shown: shipped files as `stdlib/gemm.kr` or `rulesets/vllm.kr`, others as given.
  std::string display(const std::filesystem::path& path) const;

 private:
  std::vector<std::filesystem::path> roots_;
};

}  // namespace kr
