// Loads rules: reads and parses files and the files that they `use`, resolves names and
// inheritance, and returns a Program.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.hpp"
#include "sema/program.hpp"
#include "sema/scope.hpp"
#include "source/library.hpp"

namespace kr::sema {

/// One file that was read, and the targets of its `use` declarations: enough to load the same
/// Program again without the file system (a `.krdb` contains these).
struct LoadedFile {
  struct Used {
    std::string name;  // as written: `std.gemm`, `./common.kr`
    source::FileId file;
  };
  source::FileId file;
  std::filesystem::path path;  // as opened; empty if it is not a file
  std::vector<Used> uses;      // the uses that were found
  bool root = false;           // named by the user, not only used
  syntax::File tree;           // as parsed
};

struct LoadedRules {
  source::SourceMap sources;
  /// By FileId: roots in the order given, then the files that they use. They always include the
  /// module std.kind, from which every model inherits; it is last if no file uses it.
  std::vector<LoadedFile> files;
  std::optional<Scope> scope;  // always there, once loaded
  Program program;
};

/// Texts that replace files: unsaved buffers of an editor. Called for each path that a name or a
/// `use` refers to; none: the file itself is read.
using Overlay = std::function<std::optional<std::string>(const std::filesystem::path&)>;

/// Reads and resolves rules. `names` are paths or names of shipped rulesets; empty: all shipped
/// rulesets except `gputrc2graph`. Throws Error if a file cannot be read or a name is unknown (with
/// similar names suggested). Mistakes in the files go to `sink`; if there are errors, the Program
/// must not be used.
///
/// A name that contains `/` or ends with `.kr` is a path; any other name is a shipped ruleset, or
/// else a file. A file with several names or links is read once. If the library has no std.kind, a
/// minimal one replaces it: memcpy and memset are memory, everything else is compute.
///
/// Only engines of root files become engines of the Program; engines of files that are only used
/// can be extended. Two root files with engines of the same name are an error: both would define
/// the engine's model `default`, and the result would depend on the order of files. To build on an
/// engine, `use` its file and extend its models.
std::unique_ptr<LoadedRules> load_rules(const std::vector<std::string>& names,
                                        const source::Library& library, diag::Sink& sink,
                                        const Overlay& overlay = {});

/// The shipped rulesets, each by itself, since several may have engines of the same name. What is
/// wrong in them is not reported.
std::vector<std::shared_ptr<const LoadedRules>> load_shipped(const source::Library& library);

/// The names in the tests of all shipped rulesets, sorted and unique. Reads only the tests.
std::vector<std::string> names_in_tests(const source::Library& library);

/// The same as load_rules from texts in memory: a .krdb, a test, a buffer of an editor. A file with
/// the path `stdlib/kind.kr` is std.kind.
struct SourceFile {
  std::string path;  // as shown
  std::string text;
  bool root = true;
  std::vector<std::pair<std::string, size_t>> uses;  // name as written, index of the file
};
std::unique_ptr<LoadedRules> load_rules(std::vector<SourceFile> files, diag::Sink& sink);

}  // namespace kr::sema
