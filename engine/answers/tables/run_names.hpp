// What people call the runs of one command: what differs between them. Files have the ids of runs
// (analyze::run_id), which are unique and do not depend on the other runs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "table/table.hpp"
#include "tables/definition.hpp"

namespace kr::tables {

/// Of each path the words that are not the same in all of them, from the first that differs to the
/// last. A number alone gets the word before it: `TP-0`. Empty for paths that are equal.
std::vector<std::string> distinct_parts(std::span<const std::string> paths);

/// Several runs are ranks of one job: each is then called by its rank.
bool named_by_rank(const Source& source);

/// What people call each run, by its id.
std::map<std::string, std::string> names_of_runs(const Source& source);

/// Moments (`start_ns`, `first_start_ns`, and an `end_ns` beside it) from the first start of their
/// run on, which people see with a sign: `+12.3`. Those of a run without operations, and ends that
/// are not known, are left out.
table::Table from_start_of_run(table::Table table, const Source& source);

/// A table that has `largest_first` and more than `most` rows, by that column: the slowest ranks
/// first.
table::Table slowest_first(table::Table table, const Definition& definition, size_t most);

/// With the names of runs in place of their ids, for people. Refers to `source`. The table `runs`
/// stays as it is.
table::Table with_run_names(table::Table table, const Source& source);

}  // namespace kr::tables
