// The atoms that hold in each distinct name of a trace: every name is scanned once, whoever asks
// afterwards (detection, then every dimension of the chosen model).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "match/scanner.hpp"
#include "trace/trace.hpp"

namespace kr {

class MatchedNames {
 public:
  /// Scans all names, over several threads where there are many.
  MatchedNames(const std::shared_ptr<const Database>& database, const Program& program,
               const NameTable& names);

  /// The atoms of a name, rising.
  std::span<const AtomId> atoms(NameId name) const {
    return {atoms_.data() + begins_[name.index], begins_[name.index + 1] - begins_[name.index]};
  }
  /// The same as a set. `set` is overwritten.
  void fill(NameId name, AtomSet& set) const;
  size_t size() const noexcept { return begins_.size() - 1; }

 private:
  std::vector<AtomId> atoms_;
  std::vector<uint64_t> begins_;  // by name, and one past the end
};

}  // namespace kr
