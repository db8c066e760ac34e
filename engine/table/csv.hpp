// Rows of CSV, quoted as RFC 4180 says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace kr::table {

class CsvWriter {
 public:
  enum class Cells : uint8_t {
    as_they_are,
    /// A text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, tab
    /// or return) gets a `'` before it.
    escaped,
  };
  explicit CsvWriter(Cells cells) : cells_(cells) {}

  CsvWriter& text(std::string_view value);
  CsvWriter& number(int64_t value);
  /// As it stands, without quoting: digits and points.
  CsvWriter& plain(std::string_view value);
  void end_row();

  void reserve(size_t bytes) { out_.reserve(bytes); }
  std::string take() { return std::move(out_); }

 private:
  void separate();
  Cells cells_;
  bool first_ = true;
  std::string out_;
};

/// Whether a cell with the text is the text itself.
bool is_plain_csv(std::string_view text, CsvWriter::Cells cells) noexcept;
/// A cell with the text.
void append_csv_text(std::string& out, std::string_view text, CsvWriter::Cells cells);

}  // namespace kr::table
