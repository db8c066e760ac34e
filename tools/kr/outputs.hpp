// Where the outputs of a verb go: standard output, a file (`-o`), a folder (`--out-dir`). Files are
// opened before traces are read, so that a place that cannot be written is known at once, and
// appear together, whole, when all is done. Until then what stood there stays.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/run.hpp"
#include "base/file.hpp"
#include "base/gzip.hpp"
#include "classify/run_spec.hpp"
#include "streams.hpp"

namespace kr::cli {

struct OutputOptions {
  std::string formats;
  std::string out_dir;
  std::string file;
  /// `--format`, `--out-dir`, `-o`.
  void add_to(CLI::App& app, std::string_view formats_help);
};

/// What a verb can make of runs.
struct OutputRules {
  std::string stem;                      // of files in a folder: `result`
  std::vector<std::string> formats;      // that `--format` may name
  std::vector<std::string> without;      // made where it names none
  bool files_without = false;            // what is made then goes to files
  std::vector<std::string> to_terminal;  // what goes to standard output even with a folder
};

class Outputs {
 public:
  /// Opens all files. Throws Error.
  Outputs(const OutputOptions& options, const OutputRules& rules,
          const std::vector<RunSpec>& specs);
  ~Outputs();

  bool makes(std::string_view format) const;
  /// Whether some output wants every operation, and what the host did.
  bool wants_traces() const;
  /// Writes run number `index` to the outputs that want every operation. `by` is a dimension, and
  /// `rules` are the same in every call.
  void add_run(const CompiledRules& rules, const LabelledTrace& run, const RunSummary& summary,
               size_t index, std::string_view by, Streams& streams);
  /// Writes the others, each a text made by `text(format)`; then all files appear.
  void finish(const std::function<std::string(const std::string&)>& text, Streams& streams);

 private:
  struct Target;
  Target& open(const std::string& format, const std::filesystem::path& path);
  void print(const std::string& format);
  std::vector<Target> targets_;
};

}  // namespace kr::cli
