// Heat maps of ranks: a value of a table by rank and by what its other keys name.
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/saturated.hpp"
#include "page/page_data.hpp"
#include "tables/registry.hpp"
#include "tables/run_names.hpp"
#include "timeline/varint.hpp"

namespace kr::page {
namespace {

/// Of one map: what 1,000 ranks have is 200 KB in a page.
constexpr size_t max_heat_cells = 65'536;
constexpr size_t max_heat_columns = 256;
constexpr size_t min_heat_columns = 32;

/// What a heat map shows of a table with a column `rank`.
struct HeatMapKind {
  const char* table;
  const char* split;                 // one map for each value of this column; null: one map
  std::vector<const char*> columns;  // what names a column of the map
  const char* value;
  /// Columns beyond the most are added to their neighbours, as they are in order of time; otherwise
  /// the smallest are one column.
  bool by_time;
};

const HeatMapKind heat_map_kinds[] = {
    {"rank_steps", nullptr, {"phase", "step", "occurrence"}, "own_ns", true},
    {"rank_labels", "dimension", {"label"}, "busy_ns", false},
    {"rank_collectives", nullptr, {"group", "kind", "number"}, "waiting_ns", true}};

/// A cell of a table that outlives its row.
struct HeatKey {
  std::string text;
  std::optional<int64_t> number;
};

class HeatMap {
 public:
  HeatMap(size_t ranks, bool by_time)
      : most_(std::clamp(max_heat_cells / ranks, min_heat_columns, max_heat_columns)),
        ranks_(ranks),
        by_time_(by_time) {}

  void add(std::span<const table::Cell> keys, size_t rank, int64_t value) {
    const size_t place = place_of(keys);
    const size_t at = by_time_ ? place / width_ : place;
    std::optional<int64_t>& cell = columns_[at].values[rank];
    cell = add_saturated(cell.value_or(0), value);
  }

  bool empty() const { return columns_.empty(); }

  void write(JsonWriter& json) {
    if (!by_time_) fold();
    json.key("columns").open('[');
    for (const HeatColumn& one : columns_) {
      json.open('[');
      json.number(one.count);
      write_key(json, one.first);
      if (one.count > 1) write_key(json, one.last);
      json.close(']');
    }
    json.close(']');
    // Of each column its smallest value, then of each rank 0 if it has none, or 1 and what it has
    // more.
    std::string packed;
    for (const HeatColumn& one : columns_) {
      int64_t least = std::numeric_limits<int64_t>::max();
      for (const auto& value : one.values) least = std::min(least, value.value_or(least));
      timeline::append_varint(packed, static_cast<uint64_t>(least));
      for (const auto& value : one.values) {
        timeline::append_varint(packed, value ? static_cast<uint64_t>(*value - least) + 1 : 0);
      }
    }
    json.key("cells").text(base64(packed));
  }

 private:
  struct HeatColumn {
    size_t count = 0;  // columns of the table's rows that it is the sum of
    std::vector<HeatKey> first;
    std::vector<HeatKey> last;
    std::vector<std::optional<int64_t>> values;  // by rank
    int64_t sum() const {
      int64_t all = 0;
      for (const auto& value : values) all = add_saturated(all, value.value_or(0));
      return all;
    }
  };

  static std::vector<HeatKey> kept(std::span<const table::Cell> keys) {
    std::vector<HeatKey> out;
    for (const table::Cell& cell : keys) {
      HeatKey& one = out.emplace_back();
      if (const auto* text = std::get_if<std::string_view>(&cell)) one.text = *text;
      if (const auto* number = std::get_if<int64_t>(&cell)) one.number = *number;
    }
    return out;
  }

  static void write_key(JsonWriter& json, const std::vector<HeatKey>& key) {
    json.open('[');
    for (const HeatKey& one : key) one.number ? json.number(*one.number) : json.text(one.text);
    json.close(']');
  }

  /// Columns are numbered as they are met.
  size_t place_of(std::span<const table::Cell> keys) {
    spelled_.clear();
    for (const table::Cell& cell : keys) {
      if (const auto* text = std::get_if<std::string_view>(&cell)) spelled_ += *text;
      if (const auto* number = std::get_if<int64_t>(&cell)) spelled_ += std::to_string(*number);
      spelled_ += '\0';
    }
    const auto [found, fresh] = places_.try_emplace(spelled_, places_.size());
    if (!fresh) return found->second;
    const size_t place = found->second;
    if (by_time_ && place / width_ == most_) join_pairs();
    if (!by_time_ || place % width_ == 0) {
      HeatColumn& one = columns_.emplace_back();
      one.first = kept(keys);
      one.values.resize(ranks_);
    }
    HeatColumn& column = columns_.back();
    ++column.count;
    column.last = kept(keys);
    return place;
  }

  static void join(HeatColumn& to, HeatColumn& from) {
    to.count += from.count;
    to.last = std::move(from.last);
    for (size_t i = 0; i < to.values.size(); ++i) {
      if (from.values[i]) to.values[i] = add_saturated(to.values[i].value_or(0), *from.values[i]);
    }
  }

  void join_pairs() {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i % 2 == 1) {
        join(columns_[i / 2], columns_[i]);
      } else if (i > 0) {
        columns_[i / 2] = std::move(columns_[i]);
      }
    }
    columns_.resize((columns_.size() + 1) / 2);
    width_ *= 2;
  }

  /// The largest columns first, and the smallest as one.
  void fold() {
    std::vector<std::pair<int64_t, size_t>> order;
    for (const HeatColumn& one : columns_) order.emplace_back(one.sum(), order.size());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<HeatColumn> sorted;
    for (const auto& [sum, place] : order) {
      if (sorted.size() < most_) {
        sorted.push_back(std::move(columns_[place]));
      } else {
        join(sorted.back(), columns_[place]);
      }
    }
    columns_ = std::move(sorted);
  }

  size_t most_;
  size_t ranks_;
  bool by_time_;
  size_t width_ = 1;  // of a column, if by time
  std::vector<HeatColumn> columns_;
  std::unordered_map<std::string, size_t> places_;
  std::string spelled_;
};

size_t column_named(const table::Table& table, std::string_view id) {
  const std::vector<table::Column>& all = table.columns();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const table::Column& one) { return one.id == id; });
  KR_CHECK(found != all.end());
  return static_cast<size_t>(found - all.begin());
}

/// By the value of `split`, in the order met.
std::vector<std::pair<std::string, HeatMap>> heat_maps_of(
    const table::Table& table, const HeatMapKind& kind,
    const std::unordered_map<int64_t, size_t>& places) {
  std::vector<std::pair<std::string, HeatMap>> maps;
  const size_t rank = column_named(table, "rank");
  const size_t value = column_named(table, kind.value);
  const std::optional<size_t> split =
      kind.split != nullptr ? std::optional(column_named(table, kind.split)) : std::nullopt;
  std::vector<size_t> columns;
  for (const char* id : kind.columns) columns.push_back(column_named(table, id));
  table::Cells keys(columns.size());
  table::RowsTo rows([&](std::span<const table::Cell> cells) {
    const std::string_view of = split ? std::get<std::string_view>(cells[*split]) : "";
    if (maps.empty() || maps.back().first != of) {
      maps.emplace_back(of, HeatMap(places.size(), kind.by_time));
    }
    for (size_t i = 0; i < columns.size(); ++i) keys[i] = cells[columns[i]];
    maps.back().second.add(keys, places.at(std::get<int64_t>(cells[rank])),
                           std::get<int64_t>(cells[value]));
  });
  table.write(rows);
  return maps;
}

}  // namespace

void write_heat_maps(JsonWriter& json, const tables::Source& source) {
  if (!tables::named_by_rank(source)) return;
  std::unordered_map<int64_t, size_t> places;
  json.key("heat").open('{');
  json.key("ranks").open('[');
  for (size_t run = 0; run < source.runs.size(); ++run) {
    places.emplace(source.rank(run), run);
    json.number(source.rank(run));
  }
  json.close(']');
  json.key("maps").open('[');
  for (const HeatMapKind& kind : heat_map_kinds) {
    const tables::Definition& definition = *tables::find(kind.table);
    if (!tables::absent(definition, source).empty()) continue;
    for (auto& [of, map] : heat_maps_of(tables::make(definition, source), kind, places)) {
      if (map.empty()) continue;
      json.open('{', true);
      json.key("table").text(kind.table);
      json.key("of").text(of);
      map.write(json);
      json.close('}');
    }
  }
  json.close(']');
  json.close('}');
}

}  // namespace kr::page
