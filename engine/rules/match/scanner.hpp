// All atoms of a Program in one Hyperscan database: one scan of a name finds the set of atoms that
// match it. Only this module includes hs.h.
//
// The module also handles what Hyperscan cannot: atoms that match every name are constants, atoms
// with empty matches are split (see regex::Vacuity), and refused patterns are matched by kr's own
// automata (regex/dfa.hpp).
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

/// The atoms that match one name: one bit per atom.
class AtomSet {
 public:
  explicit AtomSet(size_t atoms = 0) : words_((atoms + 63) / 64) {}
  bool has(sema::AtomId atom) const {
    return (words_[atom.index / 64] >> (atom.index % 64) & 1) != 0;
  }
  void add(sema::AtomId atom) { words_[atom.index / 64] |= uint64_t{1} << (atom.index % 64); }
  void clear() { words_.assign(words_.size(), 0); }
  /// Keeps only the atoms of `mask`, which has the same size.
  void keep(const AtomSet& mask) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= mask.words_[i];
  }
  /// Also those of `other`, which has the same size.
  void unite(const AtomSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  std::span<const uint64_t> words() const { return words_; }
  friend bool operator==(const AtomSet&, const AtomSet&) = default;

 private:
  std::vector<uint64_t> words_;
};

/// Whether this expression is so large that Hyperscan may refuse it or take seconds to compile it.
/// kr's own automata match refused expressions, more slowly.
bool may_leave_hyperscan(const regex::Regex& regex);

class MatchMemo;

/// A compiled database, shared read-only between threads.
class Database {
 public:
  /// Where serialized databases are stored. None: no cache.
  struct Cache {
    std::filesystem::path folder;  // empty: nothing is stored
    /// The installation, whose databases are for any processor; only read.
    source::Install install = {};
    /// Whether to compile for any processor, as for the databases of `install`.
    bool any_processor = false;

    /// $KR_CACHE_DIR, else $XDG_CACHE_HOME/kr, else $HOME/.cache/kr; no folder if none is set or
    /// KR_CACHE_DIR is empty. With the databases of the installation.
    static std::optional<Cache> of_process(source::Install install = source::Install::of_prefix());
  };

  /// Compiles the patterns, or reads them from the installation or the cache if the same Hyperscan
  /// compiled them for this or any processor. A cache that cannot be read or written is ignored.
  ///
  /// If the installation's database of all shipped rules has many of the patterns, as of rules that
  /// use the standard library, it matches these, and only the others are compiled and kept.
  static std::shared_ptr<const Database> compile(const sema::Program& program,
                                                 const std::optional<Cache>& cache);
  /// The same, but always as one database, which `serialize` can write.
  static std::shared_ptr<const Database> compile_whole(const sema::Program& program,
                                                       const std::optional<Cache>& cache);
  /// The database that `compile` would read; null if it would compile.
  static std::shared_ptr<const Database> find(const sema::Program& program, const Cache& cache);
  /// Without Hyperscan: kr's own automata match every atom, and the memo remembers the results.
  /// Ready at once, but slow for new names: for a few names between two edits of the rules. For one
  /// thread. The Program must outlive it.
  static std::shared_ptr<const Database> of_automata(const sema::Program& program,
                                                     std::shared_ptr<MatchMemo> memo);
  /// The same without a memo, for any number of threads: all automata in parallel (regex/dfa.hpp).
  /// For some hundred names it is much faster than compiling with Hyperscan. The Program must
  /// outlive it.
  static std::shared_ptr<const Database> of_automata(const sema::Program& program);
  /// From the bytes of `serialize`. Null if they are not a database of this program for this
  /// Hyperscan and processor.
  static std::shared_ptr<const Database> deserialize(const sema::Program& program,
                                                     std::string_view bytes);
  /// Only of a whole database.
  std::string serialize() const;
  /// Whether one Hyperscan database matches all patterns.
  bool is_whole() const noexcept;
  /// Writes it to the folder of an installation's databases, as that of all shipped rules. Returns
  /// whether it is there.
  bool write_shipped(const std::filesystem::path& folder) const;

  /// The version of Hyperscan.
  static std::string version();

  ~Database();
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  const Impl& impl() const noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Scans names with a Database. One per thread.
class Scanner {
 public:
  explicit Scanner(std::shared_ptr<const Database> database);
  ~Scanner();
  Scanner(Scanner&&) noexcept;

  /// Sets `set` to the atoms that match `name`, or the function's own name in it, sized to the
  /// program.
  void scan(std::string_view name, AtomSet& set);

 private:
  void scan_whole(std::string_view name, AtomSet& set);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr::match
