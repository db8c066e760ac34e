#include "match/scanner.hpp"

#include <limits>
#include <new>

#include "base/error.hpp"
#include "base/own_name.hpp"
#include "match/database.hpp"

namespace kr::match {
namespace {

int add_match(unsigned id, unsigned long long, unsigned long long, unsigned, void* set) {
  static_cast<AtomSet*>(set)->add({id});
  return 0;
}

/// Matches of a database whose pattern ids are not those of the atoms.
struct Renumbered {
  const std::vector<sema::AtomId>& atoms;
  AtomSet& set;
};

int add_renumbered(unsigned id, unsigned long long, unsigned long long, unsigned, void* context) {
  const auto& to = *static_cast<const Renumbered*>(context);
  if (to.atoms[id].valid()) to.set.add(to.atoms[id]);
  return 0;
}

void scan_with(const HsDatabase& database, const std::vector<sema::AtomId>& atoms,
               hs_scratch_t* scratch, std::string_view name, AtomSet& set) {
  if (!database) return;
  if (name.size() > std::numeric_limits<unsigned>::max()) {
    throw Error("", "a name of 4 GiB or more cannot be matched", "remove its row");
  }
  const auto size = static_cast<unsigned>(name.size());
  Renumbered renumbered{atoms, set};
  const hs_error_t result =
      atoms.empty()
          ? hs_scan(database.get(), name.data(), size, 0, scratch, add_match, &set)
          : hs_scan(database.get(), name.data(), size, 0, scratch, add_renumbered, &renumbered);
  KR_CHECK(result == HS_SUCCESS);
}

regex::Searcher searcher(const Database::Impl& inside) {
  const regex::NfaUnion& automata = inside.automata();
  const std::lock_guard lock(inside.idle_mutex);
  if (inside.idle.empty()) return regex::Searcher(automata);
  regex::Searcher last = std::move(inside.idle.back());
  inside.idle.pop_back();
  return last;
}

}  // namespace

struct Scanner::Impl {
  std::shared_ptr<const Database> database;
  HsScratch scratch;
  std::optional<regex::Searcher> refused;
  MatchMemo::Patterns patterns;  // of the database's memo, if it has one
  AtomSet of_own;                // of a function's own name
};

Scanner::Scanner(std::shared_ptr<const Database> database) : impl_(std::make_unique<Impl>()) {
  impl_->database = std::move(database);
  const Database::Impl& inside = impl_->database->impl();
  if (!inside.scratch) return;
  hs_scratch_t* scratch = nullptr;
  const hs_error_t result = hs_clone_scratch(inside.scratch.get(), &scratch);
  if (result == HS_NOMEM) throw std::bad_alloc();
  KR_CHECK(result == HS_SUCCESS);
  impl_->scratch.reset(scratch);
}

Scanner::~Scanner() {
  if (!impl_ || !impl_->refused) return;
  const Database::Impl& inside = impl_->database->impl();
  const std::lock_guard lock(inside.idle_mutex);
  try {
    inside.idle.push_back(std::move(*impl_->refused));
  } catch (const std::bad_alloc&) {
    return;  // the next Scanner starts without states
  }
}
Scanner::Scanner(Scanner&&) noexcept = default;

void Scanner::scan(std::string_view name, AtomSet& set) {
  scan_whole(name, set);
  const Database::Impl& inside = impl_->database->impl();
  if (inside.own.words().empty()) return;
  const std::string own = own_name(name);
  if (own == name) return;
  scan_whole(own, impl_->of_own);
  set.keep(inside.not_own);
  impl_->of_own.keep(inside.own);
  set.unite(impl_->of_own);
}

void Scanner::scan_whole(std::string_view name, AtomSet& set) {
  const Database::Impl& inside = impl_->database->impl();
  if (inside.memo) {
    set = inside.always;
    inside.memo->add_matches(*inside.memo_program, impl_->patterns, name, set);
    return;
  }
  if (name.empty()) {
    set = inside.in_empty_name;
    return;
  }
  set = inside.always;
  scan_with(inside.shipped, inside.shipped_atoms, impl_->scratch.get(), name, set);
  scan_with(inside.hyperscan, inside.own_atoms, impl_->scratch.get(), name, set);
  if (!inside.by_place.empty()) {
    const regex::Places places = regex::places_of(name);
    for (const auto& [atom, empty] : inside.by_place) {
      if ((empty & places) != 0) set.add(atom);
    }
  }
  if (!inside.refused.empty()) {
    if (!impl_->refused) impl_->refused.emplace(searcher(inside));
    impl_->refused->search(name, [&](uint32_t automaton) { set.add(inside.refused[automaton]); });
  }
}

}  // namespace kr::match
