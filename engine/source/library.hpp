// Where rules files are found: what `use` and `--rules` name.
//
// Roots are folders that contain `stdlib/` and `rulesets/`: those of KR_PATH, then the data folder
// of the install.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::source {

/// The data folder of an install: `stdlib/`, `rulesets/` and `databases/`. A program that may be
/// anywhere finds it itself and passes it on.
struct Install {
  std::filesystem::path folder;     // may not exist; empty: there is no install
  std::optional<uid_t> owner = {};  // who installed it

  /// Where this build of kr installs its data.
  static Install of_prefix();
  /// `databases/`; empty if it does not exist.
  std::filesystem::path databases() const;
  /// Whether `path` is a file of the folder that only `owner`, this user or the superuser can have
  /// written.
  bool trusts(const std::filesystem::path& path) const;
};

class Library {
 public:
  explicit Library(std::vector<std::filesystem::path> roots, Install install = {})
      : roots_(std::move(roots)), install_(std::move(install)) {}

  /// The roots in the environment: KR_PATH (`:` between folders), then that of the install.
  static Library of_process(Install install = Install::of_prefix());

  const std::vector<std::filesystem::path>& roots() const noexcept { return roots_; }
  const Install& install() const noexcept { return install_; }

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
  Install install_;
};

}  // namespace kr::source
