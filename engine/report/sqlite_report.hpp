// Labelled runs as an SQLite database that a person can query. docs/exports.md documents the
// schema, which is in sqlite_schema.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "analyze/run.hpp"

namespace kr {

/// The statements that make tables, and those that make indices and views once these are full.
extern const char* const sqlite_tables;
extern const char* const sqlite_indices;

class SqliteReport {
 public:
  /// In the head of the file: `krtr`. `user_version` is the version of the schema.
  static constexpr int32_t application_id = 0x6b727472;
  static constexpr int32_t schema_version = 1;

  /// Whether nothing is lost where `path` is written over: there is no file, an empty one, or one
  /// that this class wrote.
  static bool may_replace(const std::filesystem::path& path);

  /// Fills the empty file at `location`, which is nobody else's; errors name `path`.
  SqliteReport(const std::string& location, const std::string& path, const CompiledRules& rules);
  ~SqliteReport();

  /// Runs are numbered in the order added. Memory: that of the names and labels, a fixed cache, and
  /// 16 bytes an operation for the time of the call.
  void add(const LabelledTrace& run, const RunSummary& summary);
  /// Indices and views; closes the file. Nothing can be added after it.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr
