// All atoms of a Program in one Hyperscan database: a name is scanned once and the set of atoms it
// holds comes out. The only module that includes hs.h.
//
// What Hyperscan cannot be asked is answered here all the same: atoms that match every name are
// constants, atoms with empty matches are split (see regex::Vacuity), and patterns it refuses go
// through the project's own automata, side by side (regex/dfa.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sema/program.hpp"
#include "source/library.hpp"

namespace kr::match {

/// The atoms that hold in one name: a bit an atom.
class AtomSet {
 public:
  explicit AtomSet(size_t atoms = 0) : words_((atoms + 63) / 64) {}
  bool has(sema::AtomId atom) const {
    return (words_[atom.index / 64] >> (atom.index % 64) & 1) != 0;
  }
  void add(sema::AtomId atom) { words_[atom.index / 64] |= uint64_t{1} << (atom.index % 64); }
  void clear() { words_.assign(words_.size(), 0); }
  /// Leaves only those of `mask`, a set of as many.
  void keep(const AtomSet& mask) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= mask.words_[i];
  }
  std::span<const uint64_t> words() const { return words_; }

 private:
  std::vector<uint64_t> words_;
};

/// Whether this expression is so large that Hyperscan may refuse it, or takes seconds to compile
/// it. What it refuses the project's own automata match, more slowly.
bool may_leave_hyperscan(const regex::Regex& regex);

class MatchMemo;

/// A compiled database, shared read-only between threads.
class Database {
 public:
  /// Where serialized databases are kept. None: no cache.
  struct Cache {
    std::filesystem::path folder;  // empty: nothing is kept
    /// Where databases are that were made with kr, for any processor; only read.
    source::Install install = {};
    /// Whether databases are compiled for any processor, as those of `install` are.
    bool any_processor = false;

    /// $KR_CACHE_DIR, else $XDG_CACHE_HOME/kr, else $HOME/.cache/kr; none when none is set or
    /// KR_CACHE_DIR is empty. And the databases of the install.
    static std::optional<Cache> of_process(source::Install install = source::Install::of_prefix());
  };

  /// Compiles, or takes from the install or the cache what was compiled from the same patterns by
  /// the same Hyperscan for any, or for the same kind of, processor. A cache that cannot be read
  /// counts as absent, one that cannot be written is left alone.
  static std::shared_ptr<const Database> compile(const sema::Program& program,
                                                 const std::optional<Cache>& cache);
  /// What `compile` would take from the install or the cache; null where it would compile.
  static std::shared_ptr<const Database> find(const sema::Program& program, const Cache& cache);
  /// Asks Hyperscan nothing: every atom goes through the project's own automata, or what they said
  /// before. Ready at once, slow to scan new names with: for a few names between two edits of the
  /// rules. For one thread. The Program has to outlive it.
  static std::shared_ptr<const Database> of_automata(const sema::Program& program,
                                                     std::shared_ptr<MatchMemo> memo);
  /// The same without a memory, for any number of threads: all automata side by side
  /// (regex/dfa.hpp). For some hundred names, in much less time than Hyperscan takes to compile.
  /// The Program has to outlive it.
  static std::shared_ptr<const Database> of_automata(const sema::Program& program);
  /// From the bytes of `serialize`. Null when they are not a database of this program for this
  /// Hyperscan and processor.
  static std::shared_ptr<const Database> deserialize(const sema::Program& program,
                                                     std::string_view bytes);
  std::string serialize() const;

  /// Whether it came from the cache (for tests and `--verbose`).
  bool from_cache() const noexcept;
  /// Hyperscan's version, as it says it.
  static std::string version();

  ~Database();
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  const Impl& impl() const noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Scans names against a Database. One a thread.
class Scanner {
 public:
  explicit Scanner(std::shared_ptr<const Database> database);
  ~Scanner();
  Scanner(Scanner&&) noexcept;

  /// The atoms that hold in `name`. `set` is cleared first and sized to the program.
  void scan(std::string_view name, AtomSet& set);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr::match
