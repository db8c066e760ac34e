// The project file, kr.toml: options of the command line for everything below its folder. It can
// set those that are declared as configurable(): none of these makes kr write a file or run a
// program, because the file may be somebody else's.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "tables/source.hpp"

namespace kr::cli {

class ProjectFile {
 public:
  /// The first kr.toml in this folder or one above it; none is empty. Throws Error if it cannot be
  /// read, is not TOML, or requires another version of kr.
  static ProjectFile find();
  ProjectFile();
  ProjectFile(ProjectFile&&) noexcept;
  ~ProjectFile();

  /// Sets what the command line left open, in the options of the program and of the verb. Throws
  /// Error for keys and types that are wrong anywhere in the file, and for values of these.
  void apply(CLI::App& app, CLI::App& verb);
  /// The error with the place in the file, if it is about a value from it.
  std::optional<Error> placed(const Error& error) const;
  /// What is in force: of the program and of all its verbs. `verb` is the one that runs.
  std::vector<tables::Setting> settings(const CLI::App& app, const CLI::App& verb) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Of this process, for `kr list config`. Set before a verb runs.
std::vector<tables::Setting>& settings_in_force();

}  // namespace kr::cli
