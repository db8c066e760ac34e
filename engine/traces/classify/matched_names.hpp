// The atoms that match each distinct name of a trace. Every name is scanned once, for detection and
// for all dimensions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/hash_index.hpp"
#include "match/scanner.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

/// Distinct sets of atoms, numbered in the order in which they first occur.
class AtomSets {
 public:
  uint32_t number(const match::AtomSet& set);
  const match::AtomSet& operator[](uint32_t number) const { return sets_[number]; }
  size_t size() const noexcept { return sets_.size(); }

 private:
  std::vector<match::AtomSet> sets_;
  HashIndex numbers_;
};

class MatchedNames {
 public:
  /// Scans all names, on several threads if there are many.
  MatchedNames(const std::shared_ptr<const match::Database>& database, const sema::Program& program,
               const trace::NameTable& names);

  /// Names with the same atoms have the same number. There are few numbers, even for many names.
  uint32_t set_of(trace::NameId name) const { return set_of_name_[name.index]; }
  const match::AtomSet& atoms(trace::NameId name) const { return sets_[set_of(name)]; }

 private:
  AtomSets sets_;
  std::vector<uint32_t> set_of_name_;
};

}  // namespace kr::classify
