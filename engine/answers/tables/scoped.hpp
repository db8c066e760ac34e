// Tables of several scopes: what is said of a run, of its phases, labels, steps is one table, whose
// columns `scope` and `key` say what a row is about. People see a scope as a table of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/definition.hpp"

namespace kr::tables {

/// A part of a table: what it has of one scope, or of one per dimension.
struct Scope {
  /// As people see it. Its id names the rows of the scope wherever tables are named.
  Definition part;
  /// The text in `scope`; empty: that of the part's column `by`.
  std::string name = {};
  std::string by = {};
  std::string by_doc = "a dimension";  // what that may be
  /// The column of the part that is `key`, such as `phase`; empty: none.
  std::string key = {};
  /// Instead of `name`, of rows with an empty key; empty: the same.
  std::string without_key = {};
};
struct Scopes {
  std::vector<Scope> all;
};

/// `run`, `scope`, `key`, then the columns of all parts. Columns of one id have one unit. `key` is
/// a text. The documentation of a column is that of the parts that have it.
Definition scoped(std::string id, std::string title, std::string doc, std::vector<Scope> scopes);

/// The scopes of a table; none: it has no such parts.
std::span<const Scope> scopes_of(const Definition& whole);
/// What people see of it: its parts, or itself.
std::vector<const Definition*> parts_of(const Definition& table);

/// `scope` in words: `` `phase` ``, `a dimension`.
std::string name_of(const Scope& scope);
/// All tables as people see them.
std::vector<const Definition*> all_parts();

/// ``its rows are those of `efficiency` with scope = 'phase'``.
std::string where_in(const Definition& whole, const Definition& part);

/// The rows of some parts of a table of several scopes.
table::Table make_whole(const Definition& whole, std::span<const Definition* const> parts,
                        const Source& source);

}  // namespace kr::tables
