#include "text/csv.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>

#include "render/alias.hpp"
#include "render/columns.hpp"
#include "render/output_buffer.hpp"

namespace kr::render {
namespace {

class CsvRows final : public RowSink {
 public:
  CsvRows(OutputBuffer& out, std::span<const Column> columns, CsvOptions options)
      : out_(out), escape_(options.escape_formulas) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!is_in_files(columns[i])) continue;
      if (!members_.empty()) out_.append(',');
      append(columns[i].id);
      members_.push_back({i, columns[i].unit == Unit::boolean});
    }
    out_.append('\n');
  }

  using RowSink::row;
  void row(std::span<const Cell> cells) override {
    // Readers take a line without a byte for no row.
    if (members_.size() == 1 && is_empty(cells[members_[0].column])) {
      return out_.append(std::string_view("\"\"\n"));
    }
    bool separate = false;
    for (const Member& member : members_) {
      if (separate) out_.append(',');
      separate = true;
      append(cells[member.column], member.boolean);
    }
    out_.append('\n');
  }

 private:
  struct Member {
    size_t column;
    bool boolean;
  };

  static bool is_empty(const Cell& cell) {
    const auto* text = std::get_if<std::string_view>(&cell);
    return is_nothing(cell) || (text != nullptr && text->empty());
  }

  void append(const Cell& cell, bool boolean) {
    if (const auto* number = std::get_if<int64_t>(&cell)) {
      if (!boolean) return out_.append(*number);
      return out_.append(*number != 0 ? std::string_view("true") : "false");
    }
    if (const auto* text = std::get_if<std::string_view>(&cell)) return append(*text);
    const auto* number = std::get_if<double>(&cell);
    if (number == nullptr || !std::isfinite(*number)) return;
    constexpr size_t longest = 320;  // 309 digits before the point
    // A double has 16 digits: behind 10^10 six decimals would be invented.
    constexpr double no_decimals = 1e10;
    char* const to = out_.space(longest);
    out_.advance(std::fabs(*number) < no_decimals
                     ? fmt::format_to(to, FMT_COMPILE("{:.6f}"), *number)
                     : fmt::format_to(to, FMT_COMPILE("{:.0f}"), *number));
  }

  void append(std::string_view text) {
    if (text::is_plain_csv(text, escape_)) return out_.append(text);
    scratch_.clear();
    text::append_csv_text(scratch_, text, escape_);
    out_.append(scratch_);
  }

  OutputBuffer& out_;
  bool escape_;
  std::vector<Member> members_;
  std::string scratch_;
};

/// The same table as another program prints it.
class CsvAliasRows final : public RowSink {
 public:
  CsvAliasRows(OutputBuffer& out, const Table& table, CsvOptions options)
      : out_(out),
        alias_(table, options.alias),
        escape_(options.escape_formulas),
        line_(alias_.titles()) {
    write();
  }

  using RowSink::row;
  void row(std::span<const Cell> cells) override {
    for (size_t i = 0; i < line_.size(); ++i) line_[i] = alias_.text(i, cells);
    write();
  }

 private:
  void write() {
    scratch_.clear();
    for (const std::string& text : line_) {
      if (&text != line_.data()) scratch_ += ',';
      text::append_csv_text(scratch_, text, escape_);
    }
    scratch_ += '\n';
    out_.append(scratch_);
  }

  OutputBuffer& out_;
  AliasCells alias_;
  bool escape_;
  std::vector<std::string> line_;
  std::string scratch_;
};

}  // namespace

void csv(const Table& table, const Bytes& to, CsvOptions options) {
  OutputBuffer out(to);
  if (options.alias != Alias::none) {
    CsvAliasRows rows(out, table, options);
    table.write(rows);
    return out.finish();
  }
  CsvRows rows(out, table.columns(), options);
  table.write(rows);
  out.finish();
}

}  // namespace kr::render
