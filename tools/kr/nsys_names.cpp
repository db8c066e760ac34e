#include "nsys_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/join.hpp"
#include "session.hpp"
#include "tables/registry.hpp"

namespace kr::cli {

using render::Alias;

bool is_nsys_report(const table::Info& table) {
  return !table.alias.empty();
}

NsysNames::NsysNames(const std::string& version) {
  if (version.empty()) return;
  const bool without_value = version == "true";  // as CLI11 has a flag
  const bool former =
      !without_value && parse_choice(version, "--nsys-names", {"2022", "2023"}) == "2022";
  style_ = former ? Alias::former : Alias::current;
}

std::string NsysNames::with_ids(const std::string& list) {
  std::string ids;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t comma = std::min(list.find(',', begin), list.size());
    const std::string word = list.substr(begin, comma - begin);
    const tables::Definition* const named = tables::find(word);
    const bool former = named != nullptr && named->info.id != word;
    if (former) by_former_name_.insert(named->info.id);
    ids += (begin == 0 ? "" : ",") + (former ? named->info.id : word);
    begin = comma + 1;
  }
  return ids;
}

void NsysNames::check(const std::vector<const tables::Definition*>& tables, size_t runs) const {
  if (runs != 1) {
    throw Error("", "--nsys-names is about one run: its columns do not name the run",
                "give one run at a time");
  }
  const bool former = style_ == Alias::former;
  const auto has = [former](const tables::Definition* one) {
    return former ? !one->info.former_id.empty() : is_nsys_report(one->info);
  };
  const auto without = std::find_if_not(tables.begin(), tables.end(), has);
  if (without == tables.end()) return;
  std::vector<std::string> with;
  for (const tables::Definition* one : tables::all()) {
    if (has(one)) with.push_back(former ? one->info.former_id : one->info.id);
  }
  throw Error(
      "",
      fmt::format("`nsys stats`{} has no table `{}`", former ? " of 2022" : "",
                  (*without)->info.id),
      fmt::format("with --nsys-names{} choose from {}", former ? "=2022" : "", join(with, ", ")));
}

Alias NsysNames::style_of(const table::Info& table) const {
  if (!is_nsys_report(table)) return Alias::none;
  const bool former_name = by_former_name_.count(table.id) != 0;
  return style_ == Alias::current && former_name ? Alias::former_columns : style_;
}

}  // namespace kr::cli
