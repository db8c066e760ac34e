// Finds the module of a `use`: next to the file, or in the library.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sema/load.hpp"
#include "source/library.hpp"
#include "syntax/ast.hpp"

namespace kr::sema {

class ModuleFinder {
 public:
  /// Files that exist only in the overlay are found too.
  explicit ModuleFinder(const source::Library& library, Overlay overlay = {})
      : library_(library), overlay_(std::move(overlay)) {}

  /// `folder` is the folder of the using file. `"./x.kr"` is searched only there; `"x.kr"`, `std.x`
  /// and `rulesets.x` there first, then in the roots of the library.
  std::optional<std::filesystem::path> find(const syntax::Use& use,
                                            const std::filesystem::path& folder) const;
  /// Possible targets of a `use` that finds nothing, as they would be written.
  std::vector<std::string> candidates(const syntax::Use& use,
                                      const std::filesystem::path& folder) const;
  const source::Library& library() const noexcept { return library_; }

 private:
  bool is_there(const std::filesystem::path& path) const;
  const source::Library& library_;
  Overlay overlay_;  // may be empty
};

}  // namespace kr::sema
