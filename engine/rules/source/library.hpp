// Finds the rules files that `use` and `--rules` name.
//
// Roots are folders that contain `stdlib/` and `rulesets/`: those of KR_PATH, then the data folder
// of the install. A root may have `names/`, too: lists of names of real operations.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::source {

/// The data folder of an installation: `stdlib/`, `rulesets/` and `databases/`. A relocatable
/// program finds the folder itself and passes it on.
struct Install {
  std::filesystem::path folder;     // may not exist; empty: no installation
  std::optional<uid_t> owner = {};  // who installed it

  /// Where this build of kr installs its data.
  static Install of_prefix();
  /// `databases/`; empty if it does not exist.
  std::filesystem::path databases() const;
  /// Whether `path` is a file in the folder that only `owner`, this user or the superuser can
  /// write.
  bool trusts(const std::filesystem::path& path) const;
};

class Library {
 public:
  explicit Library(std::vector<std::filesystem::path> roots, Install install = {})
      : roots_(std::move(roots)), install_(std::move(install)) {}

  /// The roots of the environment: KR_PATH (folders separated by `:`), then the installation.
  static Library of_process(Install install = Install::of_prefix());

  const std::vector<std::filesystem::path>& roots() const noexcept { return roots_; }
  const Install& install() const noexcept { return install_; }

  /// `std.gemm` is ROOT/stdlib/gemm.kr, `rulesets.vllm` ROOT/rulesets/vllm.kr; `std.a.b` is
  /// ROOT/stdlib/a/b.kr. The first root that has the file wins.
  std::optional<std::filesystem::path> module(std::string_view dotted) const;
  /// A shipped ruleset by its name: `vllm`. The first root that has it wins.
  std::optional<std::filesystem::path> ruleset(std::string_view name) const;
  /// The names of all shipped rulesets, sorted.
  std::vector<std::string> rulesets() const;
  /// The dotted names of all modules (`std.gemm`, `rulesets.vllm`), sorted.
  std::vector<std::string> modules() const;
  /// The names in the lists of the first root that has any, without duplicates: the first column of
  /// each `ROOT/names/*.tsv`, below its head. Throws Error if a list cannot be read.
  std::vector<std::string> known_names() const;
  /// The path to show: `stdlib/gemm.kr` or `rulesets/vllm.kr` for shipped files, `path` for others.
  std::string display(const std::filesystem::path& path) const;

 private:
  std::vector<std::filesystem::path> roots_;
  Install install_;
};

}  // namespace kr::source
