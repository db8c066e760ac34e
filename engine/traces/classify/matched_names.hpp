// The atoms that match each distinct name of a trace. Every name is scanned once, for detection and
// for all dimensions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/interned.hpp"
#include "match/scanner.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

struct AtomSetHash {
  uint64_t operator()(const match::AtomSet& set) const noexcept {
    const std::span<const uint64_t> words = set.words();
    return hash_bytes({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
  }
};
using AtomSets = Interned<match::AtomSet, AtomSetHash>;

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
