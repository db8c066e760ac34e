// From the names of rules files to a Program: files are read, parsed, what they `use` is read too,
// names are resolved, inheritance is carried out.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "diag/diagnostic.hpp"
#include "sema/program.hpp"
#include "source/library.hpp"

namespace kr {

/// One file that was read, and what its `use` declarations led to: enough to load the same
/// Program again without the file system (a `.krdb` keeps these).
struct LoadedFile {
  struct Used {
    std::string name;  // as written: `std.gemm`, `./common.kr`
    FileId file;
  };
  FileId file;
  std::filesystem::path path;  // as opened
  std::vector<Used> uses;
  bool root = false;  // named by the user, not only used
};

struct Rules {
  SourceMap sources;
  std::vector<LoadedFile> files;  // roots in the order given
  Program program;
};

/// Reads and resolves. `names` are paths or names of shipped rulesets; empty means all shipped
/// rulesets but `gputrc2graph`. Throws Error where a file cannot be read, a name is unknown (near
/// names suggested), or two files define one engine and model. What is wrong inside the files goes
/// to `sink`; with errors there, the Program is not to be used.
std::unique_ptr<Rules> load_rules(const std::vector<std::string>& names, const Library& library,
                                  Sink& sink);

/// The same from texts in memory: a .krdb, a test, an editor's buffer.
struct SourceFile {
  std::string path;  // as shown
  std::string text;
  bool root = true;
  std::vector<std::pair<std::string, size_t>> uses;  // name as written, index of the file
};
std::unique_ptr<Rules> load_rules(std::vector<SourceFile> files, Sink& sink);

}  // namespace kr
