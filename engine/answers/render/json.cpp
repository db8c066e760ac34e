#include "base/json.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/has_byte.hpp"
#include "render/columns.hpp"
#include "render/output_buffer.hpp"

namespace kr::render {
namespace {

/// Whether a text is its own JSON string between quotes: ASCII without control bytes, quotes and
/// backslashes.
bool is_plain_json(std::string_view text) noexcept {
  return !has_byte<0x20, '"', '\\', '\x7f'>(text);
}

/// Rows as objects.
class JsonRows final : public RowSink {
 public:
  /// What is written around the objects and in them.
  struct Frame {
    std::string_view before;   // the first row
    std::string_view between;  // rows
    std::string_view members;  // before the cells of each: `"table":"labels"`
    std::string_view after;    // each row
  };
  JsonRows(OutputBuffer& out, std::span<const Column> columns, const Frame& frame);

  using RowSink::row;
  void row(std::span<const Cell> cells) override;

 private:
  struct Member {
    size_t column;
    bool boolean;
    std::string key;  // with what separates it from what is before it: `,"total_ns":`
  };
  void append(const Cell& cell, bool boolean);
  void append(std::string_view text);

  OutputBuffer& out_;
  std::vector<Member> members_;
  std::string first_;
  std::string next_;
  std::string end_;
  bool any_ = false;
  std::string scratch_;
};

JsonRows::JsonRows(OutputBuffer& out, std::span<const Column> columns, const Frame& frame)
    : out_(out), end_("}") {
  const std::string begin = "{" + std::string(frame.members);
  first_ = std::string(frame.before) + begin;
  next_ = std::string(frame.between) + begin;
  end_ += frame.after;
  bool separate = !frame.members.empty();
  for (size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (!is_in_files(column)) continue;
    std::string key(separate ? "," : "");
    append_json_string(key, column.id);
    members_.push_back({i, column.unit == Unit::boolean, key + ':'});
    separate = true;
  }
}

void JsonRows::row(std::span<const Cell> cells) {
  out_.append(any_ ? next_ : first_);
  any_ = true;
  for (const Member& member : members_) {
    out_.append(member.key);
    append(cells[member.column], member.boolean);
  }
  out_.append(end_);
}

void JsonRows::append(const Cell& cell, bool boolean) {
  if (const auto* number = std::get_if<int64_t>(&cell)) {
    if (!boolean) return out_.append(*number);
    return out_.append(*number != 0 ? std::string_view("true") : "false");
  }
  if (const auto* text = std::get_if<std::string_view>(&cell)) return append(*text);
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || !std::isfinite(*number)) return out_.append(std::string_view("null"));
  constexpr size_t longest = 32;  // the shortest text that reads back has 17 digits at most
  out_.advance(fmt::format_to(out_.space(longest), FMT_COMPILE("{}"), *number));
}

void JsonRows::append(std::string_view text) {
  if (is_plain_json(text)) {
    out_.append('"');
    out_.append(text);
    return out_.append('"');
  }
  scratch_.clear();
  append_json_string(scratch_, text);
  out_.append(scratch_);
}

/// `"labels":[…]`, one row per line.
void append_json_table(OutputBuffer& out, const Table& table) {
  out.append(json_string(table.id()) + ":[");
  JsonRows rows(out, table.columns(),
                {.before = "\n", .between = ",\n", .members = {}, .after = {}});
  table.write(rows);
  out.append(']');
}

}  // namespace

void json(std::span<const Table> tables, const Bytes& to) {
  OutputBuffer out(to);
  out.append(fmt::format("{{\"kr\":{},\"schema\":{}", json_string(KR_VERSION), schema_version));
  for (const Table& table : tables) {
    if (!table.info().describes_results) continue;
    out.append(std::string_view(",\n"));
    append_json_table(out, table);
  }
  out.append(std::string_view(",\n\"tables\":{"));
  std::string_view before = "\n";
  for (const Table& table : tables) {
    if (table.info().describes_results) continue;
    out.append(before);
    append_json_table(out, table);
    before = ",\n";
  }
  out.append(std::string_view("}}\n"));
  out.finish();
}

void json_lines(std::span<const Table> tables, const Bytes& to) {
  OutputBuffer out(to);
  for (const Table& table : tables) {
    const std::string id = "\"table\":" + json_string(table.id());
    JsonRows rows(out, table.columns(),
                  {.before = {}, .between = {}, .members = id, .after = "\n"});
    table.write(rows);
  }
  out.finish();
}

}  // namespace kr::render
