#include "render/alias.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"

namespace kr::render {
namespace {

constexpr int64_t ns_per_second = 1'000'000'000;
constexpr double mega = 1e6;

size_t wanted_columns(AliasForm form) {
  switch (form) {
    case AliasForm::plain:
    case AliasForm::percent:
    case AliasForm::megabytes:
      return 1;
    case AliasForm::throughput:
    case AliasForm::numbered:
    case AliasForm::versioned:
    case AliasForm::scoped:
      return 2;
    case AliasForm::extent:
      return 3;
  }
  return 1;
}

/// Of the cells that the form needs.
bool may_be_missing(AliasForm form, size_t place) {
  return (form == AliasForm::versioned && place == 1) || (form == AliasForm::scoped && place == 0);
}

double number_of(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr ? *number : 0;
}

std::string plain(const Cell& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  if (const auto* whole = std::get_if<int64_t>(&cell)) return fmt::format("{}", *whole);
  return with_tenths(number_of(cell));
}

/// `v7000` is left out, `v11060` is not.
std::string versioned(std::string_view name, std::string_view version) {
  constexpr size_t digits_left_out = 4;
  const bool left_out =
      version.empty() || (version.size() == digits_left_out + 1 && version.front() == 'v');
  return left_out ? std::string(name) : fmt::format("{}_{}", name, version);
}

std::string throughput(int64_t bytes, int64_t ns) {
  if (ns <= 0) return {};
  const int64_t times = ns_per_second / ns;  // a whole number, as nsys has it
  return fmt::format("{:.3f}", static_cast<double>(bytes) * static_cast<double>(times) / mega);
}

std::string_view text_of(const Cell& cell) {
  const auto* text = std::get_if<std::string_view>(&cell);
  return text != nullptr ? *text : std::string_view();
}

int64_t whole_of(const Cell& cell) {
  const auto* whole = std::get_if<int64_t>(&cell);
  return whole != nullptr ? *whole : 0;
}

}  // namespace

std::string with_tenths(double number) {
  constexpr double most = 1e17;
  if (!std::isfinite(number)) return {};
  if (std::abs(number) >= most) return fmt::format("{:.1f}", number);
  // Ten times a double is exact with the 64 bits of precision of a long double.
  const long double tenths = std::abs(static_cast<long double>(number)) * 10;
  const auto rounded = static_cast<int64_t>(std::floor(tenths + 0.5L));
  return fmt::format("{}{}.{}", number < 0 && rounded != 0 ? "-" : "", rounded / 10, rounded % 10);
}

std::string short_copy(std::string_view name) {
  constexpr std::string_view begin = "[CUDA memcpy ";
  constexpr std::string_view unified = "Unified ";
  constexpr std::string_view to = "-to-";
  if (!name.starts_with(begin) || !name.ends_with(']')) return std::string(name);
  std::string_view kind = name.substr(begin.size());
  kind.remove_suffix(1);
  const bool is_unified = kind.starts_with(unified);
  if (is_unified) kind.remove_prefix(unified.size());
  const size_t at = kind.find(to);
  if (at == kind.npos || at == 0 || at + to.size() == kind.size()) return std::string(name);
  return fmt::format("[CUDA {}memcpy {}to{}]", is_unified ? "Unified Memory " : "", kind[0],
                     kind[at + to.size()]);
}

AliasCells::AliasCells(const Table& table, Alias style) : former_cells_(style == Alias::former) {
  KR_CHECK(!table.info().alias.empty());
  for (const AliasColumn& column : table.info().alias) {
    if (style != Alias::current && !column.in_former) continue;
    titles_.push_back(former_cells_ && !column.former_title.empty() ? column.former_title
                                                                    : column.title);
    Member& member = members_.emplace_back();
    member.form = column.form;
    KR_CHECK(column.from.size() == wanted_columns(column.form));
    for (const std::string& id : column.from) {
      const auto at = std::find_if(table.columns().begin(), table.columns().end(),
                                   [&](const table::Column& one) { return one.id == id; });
      KR_CHECK(at != table.columns().end());
      member.from.push_back(static_cast<size_t>(at - table.columns().begin()));
    }
  }
}

std::string AliasCells::text(size_t column, std::span<const Cell> cells) const {
  const auto& [form, from] = members_[column];
  const char* const nothing = former_cells_ && form != AliasForm::throughput ? "None" : "";
  for (size_t i = 0; i < from.size(); ++i) {
    if (is_nothing(cells[from[i]]) && !may_be_missing(form, i)) return nothing;
  }
  const auto named = [&](const std::string& text) {
    return former_cells_ ? short_copy(text) : text;
  };
  switch (form) {
    case AliasForm::plain:
      return named(plain(cells[from[0]]));
    case AliasForm::percent:
      return with_tenths(number_of(cells[from[0]]) * 100);
    case AliasForm::megabytes:
      return fmt::format("{:.3f}", number_of(cells[from[0]]) / mega);
    case AliasForm::throughput:
      return throughput(whole_of(cells[from[0]]), whole_of(cells[from[1]]));
    case AliasForm::extent:
      return fmt::format("{:4} {:4} {:4}", whole_of(cells[from[0]]), whole_of(cells[from[1]]),
                         whole_of(cells[from[2]]));
    case AliasForm::numbered:
      return fmt::format("{} ({})", text_of(cells[from[0]]), whole_of(cells[from[1]]));
    case AliasForm::scoped:
      return fmt::format("{}:{}", text_of(cells[from[0]]), text_of(cells[from[1]]));
    case AliasForm::versioned:
      return named(versioned(text_of(cells[from[0]]), text_of(cells[from[1]])));
  }
  return {};
}

}  // namespace kr::render
