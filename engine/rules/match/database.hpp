// The inside of a Database: how each atom is matched.
#pragma once

#include <hs/hs.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
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
  AtomSet always;         // atoms that match every name
  AtomSet in_empty_name;  // atoms that match the empty name
  AtomSet own;            // atoms that have to match in the function's own name; empty: none
  AtomSet not_own;        // the others
  /// Atoms with empty matches at some places, tested in addition to their other matches.
  std::vector<std::pair<sema::AtomId, regex::Places>> by_place;
  /// Atoms that Hyperscan refused.
  std::vector<sema::AtomId> refused;
  /// The automata of the refused atoms, created on demand: many files have no tests.
  const regex::NfaUnion& automata() const;
  const sema::Program* program = nullptr;  // of the refused atoms; only if it outlives the database
  mutable std::once_flag made;
  mutable std::unique_ptr<const regex::NfaUnion> refused_automata;
  /// Searchers of destroyed Scanners, reused by new ones with the states they have created.
  mutable std::mutex idle_mutex;
  mutable std::vector<regex::Searcher> idle;

  /// If there is a memo, it matches all atoms of this program.
  std::shared_ptr<MatchMemo> memo;
  const sema::Program* memo_program = nullptr;

  /// Null if it has no patterns.
  HsDatabase hyperscan;
  std::vector<sema::AtomId> own_atoms;  // by its pattern ids; empty: these are indexes of atoms
  /// The shipped rules, which match many of the atoms; null: `hyperscan` matches all.
  HsDatabase shipped;
  std::vector<sema::AtomId> shipped_atoms;  // by its pattern ids; invalid: not an atom of these
  HsScratch scratch;  // of both, cloned for each Scanner; null without a database
  std::string key;    // see database_key
};

/// The pattern of one atom for Hyperscan.
struct HyperscanPattern {
  sema::AtomId atom;
  std::string text;
};
/// The atoms that have matches of at least one byte and do not match every name.
std::vector<HyperscanPattern> hyperscan_patterns(const sema::Program& program);

/// The processor for which a database is compiled.
enum class Processor : uint8_t { this_one, any };

/// Everything that determines a serialized database: format, Hyperscan version, processor, and the
/// atoms as written. hyperscan_patterns depends only on these, but takes longer than reading a
/// database; if it changes, increase the version of the format.
std::string database_key(const sema::Program& program, Processor processor);

/// The same of any atoms as written.
std::string database_key(std::span<const std::string_view> atoms, Processor processor);

/// An Impl without a Hyperscan database: constants, places, automata of the refused atoms.
std::unique_ptr<Database::Impl> without_hyperscan(const sema::Program& program,
                                                  std::vector<sema::AtomId> refused);
/// Sets a database, and makes the scratch fit it. Throws std::bad_alloc.
void take_hyperscan(Database::Impl& impl, HsDatabase Database::Impl::*member, HsDatabase database);

/// What a file contains for atoms by number: which ones Hyperscan refused, and the others.
struct StoredDatabase {
  std::vector<uint32_t> refused;
  HsDatabase hyperscan;  // null: there are none
};
std::string to_bytes(const std::string& key, std::span<const uint32_t> refused,
                     const hs_database_t* hyperscan);
/// None if the bytes have another key, or are damaged.
std::optional<StoredDatabase> stored_database(const std::string& key, size_t atoms,
                                              std::string_view bytes);
/// From the bytes of Database::serialize; null if they have another key.
std::shared_ptr<const Database> read_database(const sema::Program& program, const std::string& key,
                                              std::string_view bytes);

/// The database of all shipped rules together.
struct ShippedDatabase {
  std::vector<std::string> atoms;  // as written, by number
  StoredDatabase stored;
};
/// None if the bytes are another Hyperscan's, for one processor only, or damaged.
std::optional<ShippedDatabase> shipped_database(std::string_view bytes);

}  // namespace kr::match
