// What is inside a Database: for each atom the way in which it is answered.
#pragma once

#include <hs/hs.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "match/memo.hpp"
#include "match/scanner.hpp"
#include "regex/dfa.hpp"

namespace kr::match {

struct HsDatabaseFree {
  void operator()(hs_database_t* database) const noexcept { hs_free_database(database); }
};
struct HsScratchFree {
  void operator()(hs_scratch_t* scratch) const noexcept { hs_free_scratch(scratch); }
};
using HsDatabase = std::unique_ptr<hs_database_t, HsDatabaseFree>;
using HsScratch = std::unique_ptr<hs_scratch_t, HsScratchFree>;

struct Database::Impl {
  size_t atoms = 0;
  AtomSet always;         // atoms that hold in every name
  AtomSet in_empty_name;  // atoms that hold in the empty name
  /// Atoms with empty matches that depend on place, looked for beside their other matches.
  std::vector<std::pair<sema::AtomId, regex::EmptyMatches>> by_place;
  /// Atoms that Hyperscan refused.
  std::vector<sema::AtomId> refused;
  /// What searches for them; made when it is first asked for, since many files have no tests.
  const regex::NfaUnion& automata() const;
  const sema::Program* program =
      nullptr;  // of the refused atoms; only where it outlives the database
  mutable std::once_flag made;
  mutable std::unique_ptr<const regex::NfaUnion> refused_automata;
  /// Searchers of Scanners that are gone: the next one need not learn what they have learnt.
  mutable std::mutex idle_mutex;
  mutable std::vector<regex::Searcher> idle;

  /// Where there is a memo it answers for all atoms of this program, and nothing else is asked.
  std::shared_ptr<MatchMemo> memo;
  const sema::Program* memo_program = nullptr;

  HsDatabase hyperscan;  // pattern id = index of the atom; null when there is nothing for it
  HsScratch scratch;     // cloned for each Scanner; null with it
  std::string key;       // see database_key
  bool from_cache = false;
};

/// What Hyperscan is to be asked for one atom.
struct HyperscanPattern {
  sema::AtomId atom;
  std::string text;
};
/// The atoms that have matches of at least one byte and are not `always`.
std::vector<HyperscanPattern> hyperscan_patterns(const sema::Program& program);

/// What a database is compiled for.
enum class Processor : uint8_t { this_one, any };

/// Everything that decides about a serialized database: format, Hyperscan, processor, and the atoms
/// as written. hyperscan_patterns follows from these, which takes longer than to read a database;
/// when it gives other patterns for the same atoms, the number of the format grows.
std::string database_key(const sema::Program& program, Processor processor);

/// An Impl of all that is not Hyperscan's: constants, places, automata of the refused atoms.
std::unique_ptr<Database::Impl> without_hyperscan(const sema::Program& program,
                                                  std::vector<sema::AtomId> refused);
/// Sets the database and its scratch. Throws std::bad_alloc where there is no room.
void take_hyperscan(Database::Impl& impl, HsDatabase database);

/// From the bytes of Database::serialize; null when they are not of this key.
std::unique_ptr<Database::Impl> read_database(const sema::Program& program, const std::string& key,
                                              std::string_view bytes);

}  // namespace kr::match
