// Keeps the findings in files from one `kr lint` to the next, in the cache folder.
//
// What is kept of a file is found by a digest of all that it depends on: the texts of the file and
// of all files that it uses, the names shown for them, what each `use` refers to, the options, what
// the other files use of it, and the sources of kr. So it is what another lint would find, and it
// changes no result.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "lint/lint.hpp"
#include "sema/read.hpp"

namespace kr::lint {

/// A digest of the sources of kr that findings depend on.
std::string_view lint_version();

/// A digest of rules before names are resolved. Equal ones give the same Program and the same
/// findings, at the same places.
Hash128 digest_of(const sema::ReadRules& read);
/// Of that, and the options. `used_elsewhere` are those of the file.
Hash128 digest_of(const Hash128& rules, const LintOptions& options,
                  std::span<const Used> used_elsewhere);

/// Findings as bytes. Their spans are in `sources`, or none is read.
std::string to_bytes(const std::vector<diag::Diagnostic>& findings);
std::optional<std::vector<diag::Diagnostic>> findings_from(std::string_view bytes,
                                                           const source::SourceMap& sources);

/// The same of the declarations of files that are used.
std::string to_bytes(const std::set<Declaration>& used);
std::optional<std::set<Declaration>> declarations_from(std::string_view bytes,
                                                       const source::SourceMap& sources);

/// What is kept, by its digest. For one thread, but any number may call `find`.
class Kept {
 public:
  /// Reads what is kept in the cache folder and what is installed; nothing without a cache.
  explicit Kept(const std::optional<match::Database::Cache>& cache);

  /// The views are valid as long as this.
  std::optional<std::string_view> find(const Hash128& digest) const;
  /// Keeps something new, or, if it is known, keeps it longer than what this run does not need.
  void add(const Hash128& digest, std::string bytes);
  /// Writes what is kept, if something is new.
  void write() const noexcept;

  /// The bytes kept in all, and at once.
  static constexpr size_t max_bytes = size_t{4} << 20;
  static constexpr size_t max_bytes_each = max_bytes / 8;

 private:
  using Entry = std::pair<Hash128, std::string_view>;
  std::vector<Entry> read(std::string bytes);

  std::optional<match::Database::Cache> cache_;
  std::deque<std::string> texts_;  // with stable addresses
  std::unordered_map<Hash128, std::string_view> installed_;
  std::unordered_map<Hash128, std::string_view> known_;  // in the user's file, or added
  std::vector<Entry> own_;                               // in the user's file, in its order
  std::vector<Entry> added_;                             // by this run
  bool is_new_ = false;
};

}  // namespace kr::lint
