// The atoms that hold in each distinct name of a trace: every name is scanned once, whoever asks
// afterwards (detection, then every dimension of the chosen model).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "match/scanner.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

class MatchedNames {
 public:
  /// Scans all names, over several threads where there are many.
  MatchedNames(const std::shared_ptr<const match::Database>& database, const sema::Program& program,
               const trace::NameTable& names);

  /// Names with the same atoms have one number. They are few, however many names there are.
  uint32_t set_of(trace::NameId name) const { return set_of_name_[name.index]; }
  /// The atoms of a name. `set` is overwritten.
  void fill(trace::NameId name, match::AtomSet& set) const;

 private:
  std::vector<std::vector<sema::AtomId>> sets_;  // each rising
  std::vector<uint32_t> set_of_name_;
};

}  // namespace kr::classify
