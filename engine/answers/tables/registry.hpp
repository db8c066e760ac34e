// All tables that kr has. `kr list tables` and docs/tables.md are made from this list.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/definition.hpp"
#include "tables/note.hpp"

namespace kr::tables {

/// In the order shown.
std::span<const Definition* const> all();
/// Also by a former name (TableInfo::former_id). Null where there is none.
const Definition* find_whole(std::string_view id);
/// The same, but a part of a table of several scopes if it has that id.
const Definition* find(std::string_view id);
/// The table of several scopes that it is a part of; else itself.
const Definition& whole_of(const Definition& table);
/// As programs name it: a table, else a part. Throws Error, with similar ids, where there is none.
const Definition& known_table(const std::string& id);
std::vector<const table::Info*> all_infos();

/// Whether SQL over runs and databases of runs have it.
bool is_about_runs(const Definition& definition);

/// More ranks are many: documents that are read as a whole (JSON, pages) leave out what each of
/// them has by itself.
inline constexpr size_t max_ranks_in_full = 64;
/// Whether the runs are ranks of one job, and more than these.
bool are_many_ranks(const Source& source);
/// Whether a table has several rows for each device of a rank: by label, kernel, step and so on.
bool has_rows_within_ranks(const Definition& definition);
/// `notes` with one row more.
table::Table with_note(table::Table notes, Note note);

/// The columns of a table, with those of these dimensions at their place.
std::vector<table::Column> columns_with(const Definition& definition,
                                        const std::vector<std::string>& dimensions);
/// `stage`, `substage`, others by name, `kind` last.
std::vector<std::string> in_usual_order(std::set<std::string> dimensions);

/// The table with the data of `source`, which has to outlive it, and with those of its scopes that
/// `source` has. Its needs are met. A part is made as people see it.
table::Table make(const Definition& definition, const Source& source);
/// Tables that `source` has, as programs see them: parts of one table are one.
std::vector<table::Table> make_for_programs(std::span<const Definition* const> tables,
                                            const Source& source);
/// Why `source` has no such table; empty: it has.
std::string absent(const Definition& definition, const Source& source);

/// docs/tables.md: every table with its columns.
std::string reference_markdown();

}  // namespace kr::tables
