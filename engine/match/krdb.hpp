// A .krdb: compiled rules in one file, which needs neither the rules' own files nor, on the kind of
// machine it was made on, any compiling.
//
// It holds the texts of all files read with what each `use` led to, and the serialized database.
// The texts are what counts: a database that does not fit this machine, or that anybody may have
// written, is compiled from them anew (see compiled_rules.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "match/scanner.hpp"
#include "sema/load.hpp"

namespace kr::match {

struct KrdbContents {
  std::vector<sema::SourceFile> files;  // for load_rules
  std::string database;                 // for Database::deserialize
};

std::string to_krdb(const sema::LoadedRules& rules, const Database& database);

/// Whether these bytes, the first of a file, begin a .krdb.
bool is_krdb(std::string_view bytes) noexcept;

/// Checks no more than checksums, which whoever forges a file can make as well: the database is for
/// trusted files alone. Throws Error where the file is damaged, cut off or of another version of
/// the format. `path` is for the message.
KrdbContents from_krdb(const std::string& path, std::string_view bytes);

}  // namespace kr::match
