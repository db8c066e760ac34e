// SQL over the tables of runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/registry.hpp"

namespace kr::session {

/// The tables that a query may be about: those about runs whose id is a word of it.
std::vector<const tables::Definition*> tables_named(std::string_view query);

/// The result of one query over the tables that `source` has, in memory. It may read them and
/// nothing else. `source` has to outlive the table. Each `write` runs the query again. A column has
/// the unit of the column of kr that has its name, else that of its first value. Throws Error: what
/// SQLite says of the query, with near names.
Table query_table(const tables::Source& source, const std::string& query);

}  // namespace kr::session
