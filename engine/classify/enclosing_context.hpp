// What stands round subjects, as far as rules can tell it apart.
//
// `within` asks for few atoms. To rules a name that encloses something is no more than the set of
// these atoms that hold in it, and what is round a subject is the set of such sets. Of a million
// module paths a handful are left, and each is asked about once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "match/scanner.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

class EnclosingContexts {
 public:
  /// Nothing is round it.
  static constexpr uint32_t nothing = 0;

  /// As far as these expressions ask.
  EnclosingContexts(const sema::Program& program, const std::vector<sema::ExprId>& asked);

  /// Whether any of the expressions looks at what is round a subject; else all is `nothing`.
  bool asked() const noexcept { return any_; }
  /// A number for what rules see in an enclosing name.
  uint32_t look(const match::AtomSet& name);
  /// `outer`, and in it a name of that look: where a subject in it stands.
  uint32_t add(uint32_t outer, uint32_t look);
  /// `from`, where no name of that look encloses it any more.
  uint32_t remove(uint32_t from, uint32_t look);
  /// What is enclosed by all that encloses one or the other.
  uint32_t unite(uint32_t one, uint32_t other);
  /// What stands round, for Subject::within. `sets` is overwritten.
  void fill(uint32_t surroundings, std::vector<match::AtomSet>& sets) const;
  size_t size() const noexcept { return members_.size(); }

 private:
  using Looks = std::vector<uint32_t>;  // rising

  uint32_t number(Looks looks);

  bool any_ = false;
  match::AtomSet mask_;  // the atoms asked for
  std::vector<match::AtomSet> looks_;
  std::map<std::vector<uint64_t>, uint32_t> look_of_;
  std::vector<Looks> members_;
  std::map<Looks, uint32_t> known_;
  std::unordered_map<uint64_t, uint32_t> added_, removed_;  // by outer and look
  std::unordered_map<uint64_t, uint32_t> united_;           // by both
};

/// Names and what is round them, each pair numbered when it is first met.
class PlacedNames {
 public:
  struct Pair {
    trace::NameId name;
    uint32_t around;  // of a EnclosingContexts
  };
  explicit PlacedNames(size_t names) : last_(names) {}

  uint32_t number(trace::NameId name, uint32_t around);
  size_t size() const noexcept { return pairs_.size(); }
  const Pair& operator[](uint32_t number) const { return pairs_[number]; }

 private:
  struct Last {
    uint32_t around = UINT32_MAX;
    uint32_t number = 0;
  };
  std::vector<Last> last_;  // by name: names mostly come again in the same place
  std::vector<Pair> pairs_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by name and around
};

/// Whether any of the expressions has a `within` in it.
bool uses_within(const sema::Program& program, const std::vector<sema::ExprId>& exprs);

/// The names that may stand round the operations of a trace, as far as rules can tell them apart,
/// where it is not known which stands round which.
class RangeNames {
 public:
  RangeNames(const sema::Program& program, const std::shared_ptr<const match::Database>& database,
             const std::vector<sema::ExprId>& asked);

  void add(std::string_view name);
  bool empty() const noexcept { return looks_.empty(); }
  /// What rules see in them.
  std::span<const match::AtomSet> looks() const noexcept { return looks_; }
  /// Whether any `within` in the expressions holds in any of the names.
  bool may_hold(const std::vector<sema::ExprId>& exprs) const;

 private:
  const sema::Program* program_;
  match::Scanner scanner_;
  match::AtomSet scanned_;
  EnclosingContexts contexts_;
  uint32_t all_ = EnclosingContexts::nothing;
  std::vector<match::AtomSet> looks_;
};

}  // namespace kr::classify
