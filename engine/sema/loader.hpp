// Reads rules files and the files that they use, each once.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sema/load.hpp"
#include "sema/module_finder.hpp"

namespace kr::sema {

class Loader {
 public:
  explicit Loader(diag::Sink& sink, Overlay overlay = {})
      : sink_(sink), overlay_(std::move(overlay)), rules_(std::make_unique<LoadedRules>()) {}

  /// Parses a text as the next file.
  source::FileId add(std::string shown, std::filesystem::path path, std::string text, bool root);
  /// Reads the file unless it was read before. Throws Error.
  source::FileId open(const std::filesystem::path& path, const source::Library& library, bool root);
  /// Opens the files that the files use, recursively. A second call handles only new files.
  void follow_uses(const ModuleFinder& finder);
  /// Sets the target of a `use` (by its index in the file); invalid: none.
  void set_target(source::FileId file, size_t use, source::FileId target);
  void report_missing(const syntax::Use& use, const std::vector<std::string>& candidates);

  /// std.kind: `found`, or a minimal replacement if that is invalid.
  source::FileId kind(source::FileId found);
  /// Reports cycles of `use`, and resolves.
  std::unique_ptr<LoadedRules> finish(source::FileId kind) &&;

  const LoadedRules& rules() const noexcept { return *rules_; }

 private:
  source::FileId open_used(const syntax::Use& use, const std::filesystem::path& folder,
                           const ModuleFinder& finder);
  void report_cycles();

  diag::Sink& sink_;
  Overlay overlay_;  // may be empty
  std::unique_ptr<LoadedRules> rules_;
  std::vector<std::vector<source::FileId>> uses_;  // by file, beside tree.uses
  std::unordered_map<std::string, source::FileId> by_real_path_;
  uint32_t followed_ = 0;  // files whose uses have targets
};

}  // namespace kr::sema
