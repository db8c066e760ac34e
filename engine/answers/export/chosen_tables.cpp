#include "export/chosen_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/join.hpp"
#include "tables/registry.hpp"
#include "tables/run_names.hpp"
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
  std::vector<std::string> left_out;
  std::erase_if(wanted, [&](const tables::Definition* one) {
    const bool leave = tables::has_rows_within_ranks(*one) && tables::absent(*one, source).empty();
    if (leave) left_out.push_back(one->info.id);
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
    const tables::Definition& one = *tables::find(id);
    return !one.info.alias.empty() || one.saved_form;
  });
  return ids;
}

Definitions definitions(const std::vector<std::string>& ids) {
  Definitions found;
  found.reserve(ids.size());
  for (const std::string& id : ids) found.push_back(tables::find(id));
  return found;
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
  const bool by_default = choice.for_people && !choice.named && wanted.size() > 1;
  for (const tables::Definition* one : wanted) {
    if (by_default && !one->info.in_short_form) continue;
    if (std::string why = tables::absent(*one, source); !why.empty()) {
      if (!describes_results(one)) chosen.absent.emplace_back(one->info.id, std::move(why));
      continue;
    }
    if (by_default && one->shown_by_default && !one->shown_by_default(source)) continue;
    Table made = choice.saved ? tables::make_saved(*one, source) : tables::make(*one, source);
    if (chosen.shortened && one->info.id == "notes") {
      made = tables::with_note(std::move(made), *chosen.shortened);
    }
    if (choice.for_people) {
      made = tables::with_run_names(std::move(made), source);
      if (!choice.all_rows) made = tables::slowest_first(std::move(made), *one, max_shown_rows);
    }
    chosen.tables.push_back(std::move(made));
  }
  return chosen;
}

}  // namespace kr::exports
