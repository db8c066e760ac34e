// From the names of rules files to a Program: files are read, parsed, what they `use` is read too,
// names are resolved, inheritance is carried out.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.hpp"
#include "sema/program.hpp"
#include "source/library.hpp"
#include "syntax/ast.hpp"

namespace kr::sema {

/// One file that was read, and what its `use` declarations led to: enough to load the same
/// Program again without the file system (a `.krdb` keeps these).
struct LoadedFile {
  struct Used {
    std::string name;  // as written: `std.gemm`, `./common.kr`
    source::FileId file;
  };
  source::FileId file;
  std::filesystem::path path;  // as opened; empty where it never was a file
  std::vector<Used> uses;      // those that were found
  bool root = false;           // named by the user, not only used
  syntax::File tree;           // as parsed
};

struct LoadedRules {
  source::SourceMap sources;
  /// By FileId: roots in the order given, then what they use. The module std.kind, which every
  /// model inherits from, is always among them, last where nothing uses it.
  std::vector<LoadedFile> files;
  Program program;
};

/// Texts that stand in for files: what an editor holds and has not saved. Asked with each path that
/// a name or a `use` leads to; none: the file itself is read.
using Overlay = std::function<std::optional<std::string>(const std::filesystem::path&)>;

/// Reads and resolves. `names` are paths or names of shipped rulesets; empty means all shipped
/// rulesets but `gputrc2graph`. Throws Error where a file cannot be read, a name is unknown (near
/// names suggested), or two root files define engines of one name. What is wrong inside the files
/// goes to `sink`; with errors there, the Program is not to be used.
///
/// A name with a `/` or `.kr` at its end is a path; another is a shipped ruleset, or else a file.
/// A file reached by several names or links is read once. Where the library has no std.kind, a
/// minimal one stands in: copies and sets are memory, all else compute.
///
/// Only engines of root files are engines of the Program; those of files that are only used can be
/// extended. Two root files with engines of one name are always in conflict, whatever models they
/// have: each would give the engine's model `default`, and what is chosen would depend on the order
/// of files. To build on an engine, `use` its file and extend its models.
std::unique_ptr<LoadedRules> load_rules(const std::vector<std::string>& names,
                                        const source::Library& library, diag::Sink& sink,
                                        const Overlay& overlay = {});

/// The same from texts in memory: a .krdb, a test, an editor's buffer. A file with the path
/// `stdlib/kind.kr` is std.kind.
struct SourceFile {
  std::string path;  // as shown
  std::string text;
  bool root = true;
  std::vector<std::pair<std::string, size_t>> uses;  // name as written, index of the file
};
std::unique_ptr<LoadedRules> load_rules(std::vector<SourceFile> files, diag::Sink& sink);

}  // namespace kr::sema
