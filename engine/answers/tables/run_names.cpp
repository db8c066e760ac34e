#include "tables/run_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>

#include "analyze/ranks.hpp"
#include "base/saturated.hpp"
#include "tables/source.hpp"
#include "trace/open.hpp"

namespace kr::tables {
namespace {

/// A word of a path: bytes [begin, end).
struct PathWord {
  size_t begin = 0;
  size_t end = 0;
};

std::vector<PathWord> words_of_path(std::string_view path) {
  constexpr std::string_view separators = "/_-. =,";
  std::vector<PathWord> words;
  size_t at = 0;
  while ((at = path.find_first_not_of(separators, at)) != path.npos) {
    const size_t end = std::min(path.find_first_of(separators, at), path.size());
    words.push_back({at, end});
    at = end;
  }
  return words;
}

/// How many words at the begin (or at the end) are the same in all paths.
size_t common_words(std::span<const std::string> paths,
                    const std::vector<std::vector<PathWord>>& words, bool at_end) {
  const auto word = [&](size_t path, size_t i) {
    const std::vector<PathWord>& all = words[path];
    const PathWord& one = all[at_end ? all.size() - 1 - i : i];
    return std::string_view(paths[path]).substr(one.begin, one.end - one.begin);
  };
  for (size_t count = 0;; ++count) {
    for (size_t path = 0; path < paths.size(); ++path) {
      if (words[path].size() <= count || word(path, count) != word(0, count)) return count;
    }
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

struct NamedRun {
  std::string id;
  std::string path;
  std::string model;  // engine/model
};

std::vector<NamedRun> runs_to_name(const Source& source) {
  std::vector<NamedRun> runs;
  runs.reserve(source.runs.size() + source.other_runs.size());
  for (const Run& one : source.runs) {
    const analyze::RunSummary& run = one.summary;
    runs.push_back({run.id, run.source, run.engine + "/" + run.model});
  }
  for (const RunHead& run : source.other_runs) {
    runs.push_back({run.run, run.source, run.engine + "/" + run.model});
  }
  return runs;
}

std::vector<std::string> names_of(const Source& source, const std::vector<NamedRun>& runs) {
  std::vector<std::string> names;
  names.reserve(runs.size());
  if (named_by_rank(source)) {
    const std::map<int64_t, std::string>& own = source.job_options.rank_names;
    for (size_t i = 0; i < runs.size(); ++i) {
      const auto name = own.find(source.rank(i));
      names.push_back(name == own.end() ? fmt::format("rank {}", source.rank(i))
                                        : fmt::format("rank {} ({})", name->first, name->second));
    }
    return names;
  }
  std::vector<std::string> paths;
  std::set<std::string> models;
  paths.reserve(runs.size());
  for (const NamedRun& run : runs) {
    paths.push_back(run.path);
    models.insert(run.model);
  }
  names = distinct_parts(paths);
  // The same file, perhaps by different rules.
  std::set<std::string> taken;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (names[i].empty()) names[i] = trace::trace_stem(runs[i].path);
    if (std::count(paths.begin(), paths.end(), paths[i]) > 1 && models.size() > 1) {
      names[i] += " " + runs[i].model;
    }
    const std::string name = names[i];
    for (size_t number = 2; !taken.insert(names[i]).second; ++number) {
      names[i] = fmt::format("{} ({})", name, number);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> distinct_parts(std::span<const std::string> paths) {
  std::vector<std::string> parts(paths.size());
  if (paths.size() < 2) return parts;
  std::vector<std::vector<PathWord>> words;
  words.reserve(paths.size());
  size_t fewest = std::string::npos;
  for (const std::string& path : paths) {
    fewest = std::min(fewest, words.emplace_back(words_of_path(path)).size());
  }
  size_t first = common_words(paths, words, false);
  if (first == fewest && std::all_of(words.begin(), words.end(),
                                     [&](const auto& of) { return of.size() == fewest; })) {
    return parts;
  }
  const size_t last = std::min(common_words(paths, words, true), fewest - first);
  // One path has nothing of its own: it is named by what is before.
  if (first + last == fewest && first > 0) --first;
  const auto part = [&](size_t path) {
    const std::vector<PathWord>& of = words[path];
    if (of.size() <= first + last) return std::string();
    const size_t begin = of[first].begin;
    return paths[path].substr(begin, of[of.size() - 1 - last].end - begin);
  };
  bool numbers = true;
  for (size_t i = 0; i < paths.size(); ++i) numbers = numbers && is_number(part(i));
  if (numbers && first > 0) --first;
  for (size_t i = 0; i < paths.size(); ++i) parts[i] = part(i);
  return parts;
}

bool named_by_rank(const Source& source) {
  if (source.runs.size() < 2 || !source.other_runs.empty()) return false;
  return source.ranks().not_comparable_reason.empty();
}

std::map<std::string, std::string> names_of_runs(const Source& source) {
  const std::vector<NamedRun> all = runs_to_name(source);
  const std::vector<std::string> names = names_of(source, all);
  std::map<std::string, std::string> by_id;
  for (size_t i = 0; i < all.size(); ++i) by_id.emplace(all[i].id, names[i]);
  return by_id;
}

namespace {

/// A row that is kept: texts are copied.
class KeptRow {
 public:
  explicit KeptRow(std::span<const Cell> cells) : cells_(cells.begin(), cells.end()) {
    size_t size = 0;
    for (const Cell& cell : cells_) {
      if (const auto* text = std::get_if<std::string_view>(&cell)) size += text->size();
    }
    texts_ = std::make_unique<char[]>(size);
    char* at = texts_.get();
    for (Cell& cell : cells_) {
      auto* const text = std::get_if<std::string_view>(&cell);
      if (text == nullptr) continue;
      const std::string_view kept(at, text->size());
      at = std::copy(text->begin(), text->end(), at);
      *text = kept;
    }
  }
  const Cells& cells() const { return cells_; }
  /// 0 of nothing.
  double number(size_t column) const {
    const Cell& cell = cells_[column];
    if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
    const auto* real = std::get_if<double>(&cell);
    return real != nullptr ? *real : 0;
  }

 private:
  Cells cells_;
  std::unique_ptr<char[]> texts_;
};

}  // namespace

table::Table slowest_first(table::Table table, const Definition& definition, size_t most) {
  if (definition.largest_first == nullptr) return table;
  const std::vector<Column>& all = table.columns();
  const auto by = static_cast<size_t>(
      std::find_if(all.begin(), all.end(),
                   [&](const Column& one) { return one.id == definition.largest_first; }) -
      all.begin());
  size_t count = 0;
  table::RowsTo counted([&](std::span<const Cell>) { ++count; });
  table.write(counted);
  if (count <= most || by == all.size()) return table;
  const table::Info& info = table.info();
  std::vector<Column> same = all;
  return {info, std::move(same), [table = std::move(table), by](RowSink& sink) {
            std::vector<KeptRow> rows;
            table::RowsTo keep([&](std::span<const Cell> cells) { rows.emplace_back(cells); });
            table.write(keep);
            std::stable_sort(rows.begin(), rows.end(), [&](const KeptRow& a, const KeptRow& b) {
              return a.number(by) > b.number(by);
            });
            for (const KeptRow& row : rows) sink.row(row.cells());
          }};
}

namespace {

std::optional<size_t> find_column(const std::vector<Column>& columns, std::string_view id) {
  const auto at = std::ranges::find(columns, id, &Column::id);
  if (at == columns.end()) return std::nullopt;
  return static_cast<size_t>(at - columns.begin());
}

std::vector<size_t> moments_of(const std::vector<Column>& columns) {
  const bool has_start = find_column(columns, "start_ns").has_value();
  std::vector<size_t> moments;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string& id = columns[i].id;
    const bool start = id == "start_ns" || id.ends_with("_start_ns");
    if (start || (id == "end_ns" && has_start)) moments.push_back(i);
  }
  return moments;
}

/// By the id of the run.
std::map<std::string, int64_t, std::less<>> first_starts(const Source& source) {
  std::map<std::string, int64_t, std::less<>> starts;
  for (const Run& run : source.runs) {
    for (const analyze::DeviceSum& device : run.summary.devices) {
      const auto [at, fresh] = starts.try_emplace(run.summary.id, device.first_start_ns);
      if (!fresh) at->second = std::min(at->second, device.first_start_ns);
    }
  }
  return starts;
}

}  // namespace

table::Table from_start_of_run(table::Table table, const Source& source) {
  std::vector<size_t> moments = moments_of(table.columns());
  const auto run = find_column(table.columns(), "run");
  if (moments.empty() || !run) return table;
  const auto info = std::make_shared<table::Info>(table.info());
  std::vector<Column> columns = table.columns();
  for (const size_t i : moments) columns[i].is_change = true;
  return {*info, std::move(columns),
          // `info` lives as long as the rows that it describes.
          [info, table = std::move(table), moments = std::move(moments), run = *run,
           starts = first_starts(source)](RowSink& sink) {
            Cells row;
            table::RowsTo rows([&](std::span<const Cell> cells) {
              row.assign(cells.begin(), cells.end());
              const auto* const id = std::get_if<std::string_view>(&row[run]);
              const auto start = id != nullptr ? starts.find(*id) : starts.end();
              for (const size_t i : moments) {
                const auto* const ns = std::get_if<int64_t>(&row[i]);
                const bool known = ns != nullptr && *ns != INT64_MAX && start != starts.end();
                row[i] = known ? Cell(subtract_saturated(*ns, start->second)) : Cell();
              }
              sink.row(row);
            });
            table.write(rows);
          }};
}

table::Table with_run_names(table::Table table, const Source& source) {
  if (table.info().describes_results) return table;
  std::vector<size_t> columns;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const std::string& id = table.columns()[i].id;
    if (id == "run" || id == "run_a" || id == "run_b") columns.push_back(i);
  }
  if (columns.empty()) return table;
  const auto info = std::make_shared<table::Info>(table.info());
  std::vector<Column> same = table.columns();
  return {*info, std::move(same),
          // `info` lives as long as the rows that it describes.
          [info, table = std::move(table), columns = std::move(columns), &source](RowSink& sink) {
            Cells row;
            table::RowsTo rows([&](std::span<const Cell> cells) {
              row.assign(cells.begin(), cells.end());
              for (const size_t i : columns) {
                if (const auto* id = std::get_if<std::string_view>(&row[i])) {
                  row[i] = std::string_view(source.run_name(std::string(*id)));
                }
              }
              sink.row(row);
            });
            table.write(rows);
          }};
}

}  // namespace kr::tables
