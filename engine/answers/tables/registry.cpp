#include "tables/registry.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {

namespace {

constexpr std::array all_tables{
#define KR_TABLE(id) &id##_table,
#include "tables/tables.def"
#undef KR_TABLE
};

const std::string not_a_result = "it is not a result of this command";

/// Why the runs do not have a fact; empty: some of them have it, and all others say why not.
std::string without(const Source& source, facts::Id id) {
  if (source.runs.empty()) return not_a_result;
  if (id == facts::id_of<analyze::RunSummary>) return {};
  std::string why;
  bool any = false;
  for (const Run& run : source.runs) {
    if (run.facts.has(id)) {
      any = true;
    } else if (run.facts.why_absent(id).empty()) {
      return not_a_result;
    } else if (why.empty()) {
      why = run.facts.why_absent(id);
    }
  }
  return any ? std::string() : why;
}

}  // namespace

std::span<const Definition* const> all() {
  return all_tables;
}

const Definition* find(std::string_view id) {
  for (const Definition* one : all_tables) {
    for (const Scope& scope : scopes_of(*one)) {
      if (scope.part.info.id == id) return &scope.part;
    }
  }
  return find_whole(id);
}

const Definition* find_whole(std::string_view id) {
  const auto found = std::find_if(all_tables.begin(), all_tables.end(), [&](const Definition* one) {
    return one->info.id == id || (!one->info.former_id.empty() && one->info.former_id == id);
  });
  return found == all_tables.end() ? nullptr : *found;
}

const Definition& whole_of(const Definition& table) {
  for (const Definition* one : all_tables) {
    for (const Scope& scope : scopes_of(*one)) {
      if (&scope.part == &table) return *one;
    }
  }
  return table;
}

const Definition& known_table(const std::string& id) {
  if (const Definition* found = find_whole(id)) return *found;
  if (const Definition* found = find(id)) return *found;
  std::vector<std::string> ids;
  for (const Definition* one : all()) ids.push_back(one->info.id);
  throw Error("", "unknown table `" + id + "`", near_or_all(id, ids));
}

std::vector<const table::Info*> all_infos() {
  std::vector<const table::Info*> infos;
  infos.reserve(all_tables.size());
  for (const Definition* one : all_tables) infos.push_back(&one->info);
  return infos;
}

bool is_about_runs(const Definition& definition) {
  if (definition.scopes != nullptr) return is_about_runs(*parts_of(definition).front());
  const facts::Set& needs = definition.needs;
  return definition.info.describes_results ||
         (!needs.empty() && (needs - facts::of_one_run).empty());
}

bool are_many_ranks(const Source& source) {
  return source.runs.size() > max_ranks_in_full && not_ranks(source).empty();
}

bool has_rows_within_ranks(const Definition& definition) {
  const auto names_rank = [](const Column& one) {
    return one.id == "run" || one.id == "run_a" || one.id == "run_b" || one.id == "rank";
  };
  const auto is_rank = [&](const Column& one) { return names_rank(one) && !one.optional; };
  const auto is_within = [&](const Column& one) { return !names_rank(one) && one.id != "device"; };
  bool of_rank = false;
  bool within = false;
  for (const Column& one : definition.info.columns) {
    if (one.role != Role::key) continue;
    of_rank |= is_rank(one);
    within |= is_within(one);
  }
  return of_rank && within && !definition.info.describes_results;
}

table::Table with_note(table::Table notes, Note note) {
  const table::Info& info = notes.info();
  std::vector<Column> columns = notes.columns();
  return {info, std::move(columns),
          [notes = std::move(notes), note = std::move(note)](RowSink& sink) {
            notes.write(sink);
            sink.row({table::cell_or_nothing(note.run), note.severity, note.code, note.text,
                      table::cell(note.count), table::cell(note.first_offset)});
          }};
}

std::vector<table::Column> columns_with(const Definition& definition,
                                        const std::vector<std::string>& dimensions) {
  std::vector<Column> columns;
  for (const Column& column : definition.info.columns) {
    if (column.id != table::dimension_columns) {
      columns.push_back(column);
      continue;
    }
    for (const std::string& dimension : dimensions) {
      Column& one = columns.emplace_back(column);
      one.id = dimension_column(definition, dimension);
      one.doc = "The label in the dimension `" + dimension + "`.";
    }
  }
  return columns;
}

table::Table make(const Definition& definition, const Source& source) {
  if (definition.scopes != nullptr) {
    std::vector<const Definition*> parts = parts_of(definition);
    std::erase_if(parts, [&](const auto* one) { return !absent(*one, source).empty(); });
    return make_whole(definition, parts, source);
  }
  // A name alone has no label of order rules.
  const bool of_operations = definition.needs.has<analyze::LabelledTrace>();
  return {
      definition.info,
      columns_with(definition, of_operations ? dimensions_of(source) : name_dimensions_of(source)),
      [&definition, &source](RowSink& sink) { definition.rows(source, sink); }};
}

std::vector<table::Table> make_for_programs(std::span<const Definition* const> tables,
                                            const Source& source) {
  std::vector<std::pair<const Definition*, std::vector<const Definition*>>> wholes;
  for (const Definition* one : tables) {
    const Definition& whole = whole_of(*one);
    const auto at = std::find_if(wholes.begin(), wholes.end(),
                                 [&](const auto& known) { return known.first == &whole; });
    (at == wholes.end() ? wholes.emplace_back(&whole, 0) : *at).second.push_back(one);
  }
  std::vector<table::Table> made;
  for (const auto& [whole, parts] : wholes) {
    const bool of_parts = parts.front() != whole;
    made.push_back(of_parts ? make_whole(*whole, parts, source) : make(*whole, source));
  }
  return made;
}

std::string absent(const Definition& definition, const Source& source) {
  std::string why;
  for (const Scope& scope : scopes_of(definition)) {
    const std::string of_scope = absent(scope.part, source);
    if (of_scope.empty()) return {};
    if (why.empty()) why = of_scope;
  }
  if (!why.empty()) return why;
  definition.needs.each([&](facts::Id id) {
    if (!why.empty()) return;
    why = facts::of_one_run.has(id) ? without(source, id)
          : source.has(id)          ? std::string()
                                    : not_a_result;
  });
  const bool instead = !definition.instead.empty() && source.has(definition.instead);
  if (!why.empty() && !instead) return why;
  return definition.absent != nullptr ? definition.absent(source) : std::string();
}

std::vector<std::string> name_dimensions_of(const Source& source) {
  std::set<std::string> present;
  for (const Run& run : source.runs) {
    for (const analyze::DimensionSum& one : run.summary.dimensions) {
      if (!one.ordered) present.insert(one.dimension);
    }
  }
  return in_usual_order(std::move(present));
}

std::vector<std::string> dimensions_of(const Source& source) {
  std::vector<std::string> all = name_dimensions_of(source);
  for (const Run& run : source.runs) {
    for (const analyze::DimensionSum& one : run.summary.dimensions) {
      if (one.ordered && std::ranges::find(all, one.dimension) == all.end()) {
        all.push_back(one.dimension);
      }
    }
  }
  return all;
}

std::vector<std::string> in_usual_order(std::set<std::string> present) {
  std::vector<std::string> names;
  for (const char* first : {"stage", "substage"}) {
    if (present.erase(first) > 0) names.emplace_back(first);
  }
  const bool kind = present.erase("kind") > 0;
  names.insert(names.end(), present.begin(), present.end());
  if (kind) names.emplace_back("kind");
  return names;
}

std::string dimension_column(const Definition& definition, std::string_view dimension) {
  for (const Column& column : definition.info.columns) {
    if (column.id == dimension) return std::string(dimension) + "_label";
  }
  return std::string(dimension);
}

}  // namespace kr::tables
