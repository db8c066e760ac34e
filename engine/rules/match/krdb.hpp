// A .krdb: compiled rules in one file. It needs no rules files, and no compilation on the same kind
// of processor.
//
// It contains the texts of all files with the targets of each `use`, and the serialized database.
// The texts are authoritative: a database for another processor, or from an untrusted file, is
// compiled from them again (see compiled_rules.hpp).
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

/// Compiles the rules again if the database is not whole.
std::string to_krdb(const sema::LoadedRules& rules, const Database& database);

/// Whether a file that starts with these bytes is a .krdb.
bool is_krdb(std::string_view bytes) noexcept;

/// Checks only checksums, which an attacker can forge: use the database only from trusted files.
/// Throws Error if the file is damaged, truncated or of another version. `path` is for the message.
KrdbContents from_krdb(const std::string& path, std::string_view bytes);

}  // namespace kr::match
