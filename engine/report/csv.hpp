// Rows of CSV, quoted as RFC 4180 says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kr {

class CsvWriter {
 public:
  enum class Cells : uint8_t {
    as_they_are,
    /// A text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, tab
    /// or return) gets a `'` before it.
    disarmed,
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

}  // namespace kr
