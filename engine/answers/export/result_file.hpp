// Results in a format: to a stream, or to a file that appears when it is whole.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "render/render.hpp"
#include "render/renderers.hpp"
#include "table/table.hpp"

namespace kr::exports {

/// How tables look, each in the formats that it means something for.
struct TableStyle {
  render::TerminalOptions terminal = {};
  render::Alias alias = render::Alias::none;  // of CSV
  std::string title = {};                     // of a page
};

/// Writes tables in a format whose content is tables; where it is one table, the first.
void write_tables(const render::Renderer& format, std::span<const Table> tables,
                  const render::Bytes& out, const TableStyle& style);

/// How a CSV file of a table begins: with its first columns, which no version of kr changes.
std::string csv_begin(const table::Info& table, render::Alias alias = render::Alias::none);

/// A file of one format, compressed if its name ends in `.gz`.
class ResultFile {
 public:
  /// `force`: it may replace a file that kr did not write; else see render::check_own. Throws
  /// Error.
  ResultFile(const render::Renderer& format, const std::filesystem::path& path, bool force,
             std::string_view begin = {});
  /// For a format that is written here and there in a file, which is copied at the end.
  static ResultFile standard_output(const render::Renderer& format);

  /// Calls `make` with where to write.
  void write(const std::function<void(const render::Bytes&)>& make);
  void write(std::span<const Table> tables, const TableStyle& style);
  PendingFile& file() noexcept { return file_; }
  const PendingFile& file() const noexcept { return file_; }

 private:
  ResultFile(const render::Renderer& format, PendingFile file);
  const render::Renderer* format_;
  PendingFile file_;
};

}  // namespace kr::exports
