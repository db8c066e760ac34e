// The enclosing context of subjects, reduced to what rules can distinguish.
//
// `within` uses few atoms. For rules, an enclosing name is the set of these atoms that match it,
// and a context is a set of such sets. A million module paths have only a few contexts, and each is
// evaluated once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "classify/matched_names.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

/// Gives each context a number.
class EnclosingContexts {
 public:
  /// The empty context.
  static constexpr uint32_t none = 0;

  /// Distinguishes contexts only where these expressions do.
  EnclosingContexts(const sema::Program& program, const std::vector<sema::ExprId>& exprs);

  /// Whether any of the expressions uses `within`; else every context is `none`.
  bool used() const noexcept { return any_; }
  bool uses_ops() const noexcept { return ops_; }
  bool uses_phases() const noexcept { return phases_; }
  /// A number for the atoms of `within` in an enclosing name.
  uint32_t signature(const match::AtomSet& name);
  /// The context inside a name of that signature that is itself in the context `outer`.
  uint32_t add(uint32_t outer, uint32_t signature);
  /// `from` without the names of that signature.
  uint32_t remove(uint32_t from, uint32_t signature);
  /// The context with the names of both.
  uint32_t unite(uint32_t one, uint32_t other);
  /// The sets of a context, for Subject::within. `sets` is overwritten.
  void fill(uint32_t context, std::vector<match::AtomSet>& sets) const;
  size_t size() const noexcept { return members_.size(); }

 private:
  using Signatures = std::vector<uint32_t>;  // ascending

  bool any_ = false;
  bool ops_ = false;
  bool phases_ = false;
  match::AtomSet mask_;                                     // the atoms that `within` uses
  AtomSets sets_;                                           // by signature
  Interned<Signatures, NumbersHash> members_;               // by context
  std::unordered_map<uint64_t, uint32_t> added_, removed_;  // by context and signature
  std::unordered_map<uint64_t, uint32_t> united_;           // by both
};

/// Pairs of a name and its context, numbered in the order in which they first occur.
class NamesInContext {
 public:
  struct Pair {
    trace::NameId name;
    uint32_t context;  // of an EnclosingContexts
  };
  explicit NamesInContext(size_t names) : last_(names) {}

  uint32_t number(trace::NameId name, uint32_t context);
  size_t size() const noexcept { return pairs_.size(); }
  const Pair& operator[](uint32_t number) const { return pairs_[number]; }

 private:
  struct Last {
    uint32_t context = UINT32_MAX;
    uint32_t number = 0;
  };
  std::vector<Last> last_;  // by name: a name often has the same context as before
  std::vector<Pair> pairs_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by name and context
};

/// Whether any of the expressions contains `within`, `op` or `phase`.
bool uses_within(const sema::Program& program, const std::vector<sema::ExprId>& exprs);
/// The same of framework ops, and of `phase`.
bool uses_ops(const sema::Program& program, const std::vector<sema::ExprId>& exprs);
bool uses_phase(const sema::Program& program, const std::vector<sema::ExprId>& exprs);

/// The names of a trace that may enclose operations, reduced to what rules distinguish, if it is
/// not known which name encloses which operation.
class RangeNames {
 public:
  RangeNames(const sema::Program& program, const std::shared_ptr<const match::Database>& database,
             const std::vector<sema::ExprId>& exprs);

  void add(std::string_view name);
  bool empty() const noexcept { return sets_.empty(); }
  /// The atoms of `within` in these names, each set once.
  std::span<const match::AtomSet> sets() const noexcept { return sets_; }
  /// Whether any `within` in the expressions matches any of the names.
  bool may_match(const std::vector<sema::ExprId>& exprs) const;

 private:
  const sema::Program* program_;
  match::Scanner scanner_;
  match::AtomSet scanned_;
  EnclosingContexts contexts_;
  uint32_t all_ = EnclosingContexts::none;
  std::vector<match::AtomSet> sets_;
};

}  // namespace kr::classify
