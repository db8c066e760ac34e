// The atoms that match each distinct name of a trace. Every name is scanned once, for detection and
// for all dimensions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "match/scanner.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

class MatchedNames {
 public:
  /// Scans all names, on several threads if there are many.
  MatchedNames(const std::shared_ptr<const match::Database>& database, const sema::Program& program,
               const trace::NameTable& names);

  /// Names with the same atoms have the same number. There are few numbers, even for many names.
  uint32_t set_of(trace::NameId name) const { return set_of_name_[name.index]; }
  /// The atoms of a name. `set` is overwritten.
  void fill(trace::NameId name, match::AtomSet& set) const;

 private:
  std::vector<std::vector<sema::AtomId>> sets_;  // each ascending
  std::vector<uint32_t> set_of_name_;
};

}  // namespace kr::classify
