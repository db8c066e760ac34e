// Runs in a file, FILE.krun: their summaries and all facts that have a saved form
// (facts/fields.hpp), without operations. It is an SQLite database with a checksum at its end
// (base/checksum.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "analyze/summary.hpp"
#include "facts/fact.hpp"

namespace kr::facts {
class FieldFile;
}

namespace kr::saved {

/// The `user_version` of files: grows when what a fact declares changes. Others are not read.
inline constexpr int version = 3001;

/// Those with a saved form, of runs of operations; one of module trees has changes::TreeTimes.
facts::Set saved_facts() noexcept;

/// Whether the path is one of a saved run: it ends in `.krun`.
bool names_saved_run(std::string_view path);
/// Throws Error, which says what names do, if it is not.
void check_name(const std::string& path);

struct SavedRun {
  /// Its `source` is empty.
  analyze::RunSummary summary;
  facts::Facts facts;
};

class Writer {
 public:
  /// Fills the empty file at `location`; errors name `path`, where it will be.
  Writer(const std::string& location, const std::string& path);
  ~Writer();

  /// A run behind those before: the saved facts that it has, or why it cannot have them.
  void add(const analyze::RunSummary& summary, const facts::Facts& facts);
  void finish();

 private:
  std::string location_;
  std::string path_;
  std::unique_ptr<facts::FieldFile> file_;
  int64_t runs_ = 0;
};

/// Every call throws Error if the file is not a saved run, is of another version, or damaged, or
/// what is read of it does not add up.
class Reader {
 public:
  explicit Reader(const std::string& path);
  ~Reader();
  Reader(Reader&& other) noexcept;
  Reader& operator=(Reader&& other) noexcept;

  const std::string& path() const noexcept { return path_; }
  /// At least one.
  size_t runs() const;
  bool has_module_trees() const;
  /// A run with those facts of a set that are saved, each with its value or with why the run cannot
  /// have it. One run after the other is quickest.
  SavedRun read(size_t run, facts::Set wanted);

  [[noreturn]] void refuse(const std::string& why) const;

 private:
  std::string path_;
  std::unique_ptr<facts::FieldFile> file_;
};

}  // namespace kr::saved
