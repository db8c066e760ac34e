// Which tables an output has of those that were chosen, and how people see them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "table/table.hpp"
#include "tables/definition.hpp"
#include "tables/note.hpp"
#include "tables/source.hpp"

namespace kr::exports {

using Definitions = std::vector<const tables::Definition*>;

/// All tables about runs, in the order of the registry.
std::vector<std::string> run_tables();
/// The tables of a database: these without the tables that only sum others as another program does.
std::vector<std::string> database_tables();
/// Those of a verb: parts of tables of several scopes, where it names these.
Definitions definitions(const std::vector<std::string>& ids);
/// Those that a user names, or a database has: tables with all their scopes, or parts. Throws
/// Error.
Definitions named_definitions(const std::vector<std::string>& ids);
/// The tables that these are parts of, each once.
Definitions wholes_of(const Definitions& parts);
std::vector<std::string> whole_ids(const std::vector<std::string>& ids);
/// Tables that describe the results come with every selection, and first.
Definitions with_description(const Definitions& wanted);

/// Rows of a table that people see where they do not ask for all.
inline constexpr size_t max_shown_rows = 20;

struct TableChoice {
  Definitions wanted;
  bool named = false;       // by the user: none is left out that there is
  bool for_people = false;  // without what only programs read
  bool by_scope = false;    // people and pages see each scope of a table by itself
  bool described = true;    // with the tables that describe the results
  bool document = false;    // read as a whole: of many ranks, without what each has by itself
  bool all_rows = false;
};

struct ChosenTables {
  std::vector<Table> tables;
  /// That a document lacks tables; it is in its table `notes`, too.
  std::optional<tables::Note> shortened;
  /// Tables that these results do not have, and why.
  std::vector<std::pair<std::string, std::string>> absent;
};

/// Tables refer to `source`.
ChosenTables choose_tables(const tables::Source& source, const TableChoice& choice);

}  // namespace kr::exports
