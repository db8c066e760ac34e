// SQL over the tables of runs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/registry.hpp"

namespace kr::session {

/// The tables that a query may be about: those about runs whose id is a word of it.
std::vector<const tables::Definition*> tables_named(std::string_view query);

/// One query over the tables that `source` has, in memory. It may read them and nothing else.
class Query {
 public:
  /// `source` has to outlive it and its table. Throws Error: what SQLite says of the query, with
  /// near names.
  Query(const tables::Source& source, const std::string& query);
  /// The result, `query`, which may outlive this object. Each `write` runs the query again. A
  /// column has the unit of the column of kr that has its name, else that of its first value.
  Table table() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kr::session
