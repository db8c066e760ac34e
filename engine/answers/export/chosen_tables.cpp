#include "export/chosen_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/join.hpp"
#include "tables/registry.hpp"
#include "tables/run_names.hpp"
#include "tables/scoped.hpp"
#include "text/numbers.hpp"

namespace kr::exports {
namespace {

bool describes_results(const tables::Definition* one) {
  return one->info.describes_results;
}

/// Of many ranks, what each has by itself makes a document too large to be read as a whole. Returns
/// what is to be said of it.
std::optional<tables::Note> shorten(const tables::Source& source, Definitions& wanted) {
  if (!tables::are_many_ranks(source)) return {};
  std::set<std::string> left_out;
  std::erase_if(wanted, [&](const tables::Definition* one) {
    const bool leave = tables::has_rows_within_ranks(*one) && tables::absent(*one, source).empty();
    if (leave) left_out.insert(tables::whole_of(*one).info.id);
    return leave;
  });
  if (left_out.empty()) return {};
  const auto count = static_cast<int64_t>(left_out.size());
  return tables::Note{
      "", "info", "many-ranks",
      fmt::format("of {} ranks, {} with rows for each of them are left out ({}); --all has them, "
                  "and so has --tables",
                  text::grouped(static_cast<int64_t>(source.runs.size())),
                  text::counted(count, "table"), join(left_out, ", ")),
      count};
}

/// Tables of which no part is there that is wanted, each with the reason of the first.
std::vector<std::pair<std::string, std::string>> absent_of(const tables::Source& source,
                                                           const Definitions& wanted) {
  std::map<const tables::Definition*, Definitions> parts_of;
  for (const tables::Definition* one : wanted) parts_of[&tables::whole_of(*one)].push_back(one);
  std::vector<std::pair<std::string, std::string>> absent;
  for (const tables::Definition* whole : wholes_of(wanted)) {
    const Definitions& parts = parts_of[whole];
    const auto lacks = [&](const auto* one) { return !tables::absent(*one, source).empty(); };
    if (describes_results(whole) || !std::ranges::all_of(parts, lacks)) continue;
    absent.emplace_back(parts.size() > 1 ? whole->info.id : parts[0]->info.id,
                        tables::absent(*parts[0], source));
  }
  return absent;
}

}  // namespace

std::vector<std::string> run_tables() {
  std::vector<std::string> ids;
  for (const tables::Definition* one : tables::all()) {
    if (tables::is_about_runs(*one) && !describes_results(one)) ids.push_back(one->info.id);
  }
  return ids;
}

std::vector<std::string> database_tables() {
  std::vector<std::string> ids = run_tables();
  std::erase_if(ids, [](const std::string& id) {
    const tables::Definition& one = *tables::find_whole(id);
    return !one.info.alias.empty();
  });
  return ids;
}

Definitions definitions(const std::vector<std::string>& ids) {
  Definitions found;
  found.reserve(ids.size());
  for (const std::string& id : ids) found.push_back(tables::find(id));
  return found;
}

Definitions named_definitions(const std::vector<std::string>& ids) {
  Definitions found;
  for (const std::string& id : ids) {
    for (const tables::Definition* one : tables::parts_of(tables::known_table(id))) {
      if (std::ranges::find(found, one) == found.end()) found.push_back(one);
    }
  }
  return found;
}

Definitions wholes_of(const Definitions& parts) {
  Definitions wholes;
  for (const tables::Definition* one : parts) {
    const tables::Definition* const whole = &tables::whole_of(*one);
    if (std::ranges::find(wholes, whole) == wholes.end()) wholes.push_back(whole);
  }
  return wholes;
}

std::vector<std::string> whole_ids(const std::vector<std::string>& ids) {
  std::vector<std::string> wholes;
  for (const tables::Definition* one : wholes_of(definitions(ids))) wholes.push_back(one->info.id);
  return wholes;
}

Definitions with_description(const Definitions& wanted) {
  Definitions all;
  std::ranges::copy_if(tables::all(), std::back_inserter(all), describes_results);
  std::ranges::remove_copy_if(wanted, std::back_inserter(all), describes_results);
  return all;
}

ChosenTables choose_tables(const tables::Source& source, const TableChoice& choice) {
  ChosenTables chosen;
  Definitions wanted = choice.described ? with_description(choice.wanted) : choice.wanted;
  if (choice.document && !choice.named && !choice.all_rows) {
    chosen.shortened = shorten(source, wanted);
  }
  chosen.absent = absent_of(source, wanted);
  const bool by_default = choice.for_people && !choice.named && wanted.size() > 1;
  std::erase_if(wanted, [&](const tables::Definition* one) {
    if (by_default && !one->info.in_short_form) return true;
    if (!tables::absent(*one, source).empty()) return true;
    return by_default && one->shown_by_default && !one->shown_by_default(source);
  });
  if (choice.by_scope) {
    for (const tables::Definition* one : wanted) {
      chosen.tables.push_back(tables::make(*one, source));
    }
  } else {
    chosen.tables = tables::make_for_programs(wanted, source);
  }
  for (size_t i = 0; i < chosen.tables.size(); ++i) {
    Table& made = chosen.tables[i];
    if (chosen.shortened && made.info().id == "notes") {
      made = tables::with_note(std::move(made), *chosen.shortened);
    }
    if (!choice.for_people) continue;
    made = tables::with_run_names(tables::from_start_of_run(std::move(made), source), source);
    if (!choice.all_rows) made = tables::slowest_first(std::move(made), *wanted[i], max_shown_rows);
  }
  return chosen;
}

}  // namespace kr::exports
