// `--roofline FILE.svg|.png`: the roofline of a run as a picture.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "picture/label_styles.hpp"
#include "streams.hpp"
#include "table/table.hpp"

namespace kr::cli {

struct RooflineOptions {
  std::string file;
  /// `--roofline`.
  void add_to(CLI::App& app);
};

/// The file of `--roofline`, open before traces are read, so that a place that cannot be written is
/// known at once.
class RooflineFile {
 public:
  /// `force`: it may replace a file that kr did not write. Throws Error if the file is neither .svg
  /// nor .png, or cannot be written.
  RooflineFile(const RooflineOptions& options, bool force);

  /// The user requested the picture.
  bool wanted() const noexcept { return file_.has_value(); }
  /// Draws the rows of the tables `roofline` and `roofline_roofs` (null: roofs are the highest
  /// peaks of the points; see picture/roofline_tables.hpp), and puts the file in its place. Nothing
  /// if it is not wanted. Throws Error, also if the tables have several runs.
  void write(const table::Table& roofline, const table::Table* roofs,
             const std::vector<picture::LabelStyle>& styles, std::string_view dimension,
             Streams& streams);

 private:
  std::optional<PendingFile> file_;
};

}  // namespace kr::cli
