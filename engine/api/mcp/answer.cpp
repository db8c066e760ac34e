#include "mcp/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/session_rows.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "table/table.hpp"

namespace kr::mcp {
namespace {

void write_cell(lsp::Writer& writer, const Column& column, const Cell& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return writer.text(*text);
  if (const auto* whole = std::get_if<int64_t>(&cell)) {
    if (column.unit == Unit::boolean) return writer.boolean(*whole != 0);
    return writer.number(*whole);
  }
  const auto* real = std::get_if<double>(&cell);
  if (real == nullptr || !std::isfinite(*real)) return writer.null();
  writer.number(*real);
}

std::vector<size_t> places_of(const Table& table, const std::vector<std::string>& columns) {
  std::vector<size_t> places;
  std::vector<std::string> ids;
  for (const Column& one : table.columns()) ids.push_back(one.id);
  for (const std::string& id : columns) {
    const auto at = std::ranges::find(ids, id);
    if (at == ids.end()) {
      throw Error("", fmt::format("table `{}` has no column `{}`", table.id(), id),
                  near_or_all(id, ids));
    }
    places.push_back(static_cast<size_t>(at - ids.begin()));
  }
  if (!columns.empty()) return places;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (table.columns()[i].role != Role::short_form) places.push_back(i);
  }
  return places;
}

}  // namespace

Bounds Bounds::of(Arguments& arguments) {
  Bounds bounds;
  const auto take = [&](std::string_view name, size_t least, size_t most, size_t& to) {
    const std::optional<int64_t> value = arguments.integer(name);
    if (!value) return;
    if (*value < static_cast<int64_t>(least) || *value > static_cast<int64_t>(most)) {
      throw Error("", fmt::format("`{}` is {}, not from {} to {}", name, *value, least, most));
    }
    to = static_cast<size_t>(*value);
  };
  take("max_rows", 1, most_rows, bounds.max_rows);
  take("max_bytes", 1000, most_bytes, bounds.max_bytes);
  take("offset", 0, size_t{1} << 40U, bounds.offset);
  return bounds;
}

session::RowBound Answer::bound() const {
  return {.skip = left_.offset,
          .max_rows = left_.max_rows,
          .max_bytes = std::max<size_t>(1, left_.max_bytes)};
}

void Answer::table(std::string_view name, const Table& table,
                   const std::vector<std::string>& columns) {
  rows(name, session::bounded_rows(table, bound()), columns);
}

void Answer::chosen(Session& session, const std::string& id, const RowChoice& choice,
                    const std::vector<std::string>& columns) {
  rows(id, SessionRows::chosen(session, id, choice, bound()), columns);
}

void Answer::rows(std::string_view name, const session::BoundedRows& some,
                  const std::vector<std::string>& columns) {
  const Table& table = some.table;
  const std::vector<size_t> places = places_of(table, columns);
  left_.max_bytes -= std::min(left_.max_bytes, some.bytes);
  std::vector<std::vector<std::string>> kept;  // cells as JSON; empty: nothing
  std::vector<bool> known(places.size(), false);
  table::RowsTo keep([&](std::span<const Cell> cells) {
    std::vector<std::string>& row = kept.emplace_back();
    for (size_t i = 0; i < places.size(); ++i) {
      std::string& text = row.emplace_back();
      if (is_nothing(cells[places[i]])) continue;
      known[i] = true;
      lsp::Writer writer(text);
      write_cell(writer, table.columns()[places[i]], cells[places[i]]);
    }
  });
  some.table.write(keep);

  writer_.key(name).open('{');
  const auto list = [&](std::string_view key, const auto& wanted) {
    bool any = false;
    for (size_t i = 0; i < places.size(); ++i) {
      if (!wanted(i)) continue;
      if (!std::exchange(any, true)) writer_.key(key).open('[');
      writer_.text(table.columns()[places[i]].id);
    }
    if (any) writer_.close(']');
  };
  list("key", [&](size_t i) { return table.columns()[places[i]].role == Role::key && known[i]; });
  writer_.key("rows").open('[');
  for (const std::vector<std::string>& row : kept) {
    writer_.open('{');
    for (size_t i = 0; i < places.size(); ++i) {
      if (!known[i]) continue;
      writer_.key(table.columns()[places[i]].id);
      row[i].empty() ? writer_.null() : writer_.members(row[i]);
    }
    writer_.close('}');
  }
  writer_.close(']');
  if (!kept.empty()) list("unknown", [&](size_t i) { return !known[i]; });
  if (left_.offset + some.shown < some.all || left_.offset > 0) {
    writer_.key("truncated").open('{');
    writer_.key("shown").number(some.shown);
    writer_.key("of").number(some.all);
    if (left_.offset + some.shown < some.all) {
      writer_.key("next_offset").number(left_.offset + some.shown);
    }
    writer_.close('}');
  }
  writer_.close('}');
}

void Answer::lines(std::string_view name, std::string_view text) {
  size_t shown = 0, all = 0;
  writer_.key(name).open('[');
  for (size_t begin = 0; begin < text.size(); ++all) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t bytes = end - begin + 3;
    if (shown == all && bytes <= left_.max_bytes) {
      writer_.text(text.substr(begin, end - begin));
      left_.max_bytes -= bytes;
      ++shown;
    }
    begin = end + 1;
  }
  writer_.close(']');
  if (shown == all) return;
  writer_.key("truncated").open('{');
  writer_.key("shown").number(shown);
  writer_.key("of").number(all);
  writer_.close('}');
}

void Answer::absent(const std::vector<std::pair<std::string, std::string>>& tables) {
  if (tables.empty()) return;
  writer_.key("unknown").open('[');
  for (const auto& [table, reason] : tables) {
    writer_.open('{');
    writer_.key("table").text(table);
    writer_.key("reason").text(reason);
    writer_.close('}');
  }
  writer_.close(']');
}

std::string Answer::finish() && {
  writer_.close('}');
  return std::move(text_);
}

}  // namespace kr::mcp
