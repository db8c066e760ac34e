#include "tables/scoped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.hpp"
#include "tables/registry.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

constexpr std::string_view run_id = "run", scope_id = "scope", key_id = "key",
                           dimension_id = "dimension";

size_t place_of(const std::vector<Column>& columns, std::string_view id) {
  return static_cast<size_t>(std::find_if(columns.begin(), columns.end(),
                                          [&](const Column& one) { return one.id == id; }) -
                             columns.begin());
}

/// Whether a column of a part is in `scope` or `key`, or for people alone.
bool is_replaced(const Scope& scope, const Column& column) {
  return column.id == scope.key || column.id == scope.by || column.role == Role::short_form;
}

/// That of the parts, each once.
std::string doc_of(const std::string& column, const std::vector<Scope>& scopes) {
  std::vector<std::pair<std::string, std::string>> docs;  // and the names of their scopes
  for (const Scope& scope : scopes) {
    const std::vector<Column>& own = scope.part.info.columns;
    const size_t at = place_of(own, column);
    if (at == own.size() || is_replaced(scope, own[at])) continue;
    const auto known = std::find_if(docs.begin(), docs.end(),
                                    [&](const auto& one) { return one.first == own[at].doc; });
    if (known == docs.end()) {
      docs.emplace_back(own[at].doc, name_of(scope));
    } else {
      known->second += ", " + name_of(scope);
    }
  }
  if (docs.size() == 1) return docs[0].first;
  std::string text;
  for (const auto& [doc, names] : docs) {
    text += fmt::format("{}Of {}: {}", text.empty() ? "" : " ", names, doc);
  }
  return text;
}

/// The columns of all parts, each once, behind the run and what the row is about.
std::vector<Column> columns_of(const std::vector<Scope>& scopes) {
  std::vector<Column> columns;
  size_t runs = 0;
  for (const Scope& scope : scopes) {
    for (const Column& one : scope.part.info.columns) {
      if (is_replaced(scope, one)) continue;
      const size_t at = place_of(columns, one.id);
      if (at == columns.size()) {
        columns.push_back(one);
        continue;
      }
      KR_CHECK(columns[at].unit == one.unit);
      columns[at].optional |= one.optional;
      if (one.role == Role::key) columns[at].role = Role::key;
    }
  }
  for (Column& column : columns) {
    column.doc = doc_of(column.id, scopes);
    for (const Scope& scope : scopes) {
      const std::vector<Column>& own = scope.part.info.columns;
      const size_t at = place_of(own, column.id);
      column.optional |= at == own.size() || is_replaced(scope, own[at]);
      column.is_change &= at == own.size() || own[at].is_change;
    }
  }
  const size_t run = place_of(columns, run_id);
  if (run < columns.size()) {
    std::rotate(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(run),
                columns.begin() + static_cast<std::ptrdiff_t>(run) + 1);
    runs = 1;
  }
  std::string names;
  std::string keys;
  bool always = true;
  for (const Scope& scope : scopes) {
    const std::string name = name_of(scope);
    if (!names.empty()) names += ", ";
    names += name;
    always &= !scope.key.empty() && scope.without_key.empty();
    if (scope.key.empty()) continue;
    if (!keys.empty()) keys += ", ";
    keys +=
        fmt::format("of {} the {}", name,
                    title(scope.part.info.columns[place_of(scope.part.info.columns, scope.key)]));
  }
  columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(runs),
                 {{std::string(scope_id), Unit::text, Role::key,
                   fmt::format("What the row is about: {}.", names)},
                  {std::string(key_id), Unit::text, Role::key,
                   fmt::format("Which of them: {}.", keys), !always}});
  if (keys.empty()) columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(runs) + 1);
  return columns;
}

/// Puts the cells of a part's rows at their places in the whole.
class WholeRows {
 public:
  WholeRows(const Scope& scope, const Definition& whole, size_t dimensions, RowSink& sink)
      : sink_(sink), of_(scope), all_(scopes_of(whole)) {
    const std::vector<size_t> starts = starts_of(whole.info.columns, dimensions);
    row_.resize(starts.back());
    scope_ = starts[place_of(whole.info.columns, scope_id)];
    const size_t key = place_of(whole.info.columns, key_id);
    key_ = key < whole.info.columns.size() ? starts[key] : nowhere;
    for (const Column& one : scope.part.info.columns) {
      if (one.id == scope.key) {
        places_.push_back(key_);
      } else if (one.id == scope.by) {
        places_.push_back(scope_);
      } else if (is_replaced(scope, one)) {
        places_.push_back(nowhere);
      } else {
        const size_t start = starts[place_of(whole.info.columns, one.id)];
        const size_t cells = one.id == table::dimension_columns ? dimensions : 1;
        for (size_t i = 0; i < cells; ++i) places_.push_back(start + i);
      }
    }
  }

  void add(std::span<const Cell> cells) {
    KR_CHECK(cells.size() == places_.size());
    if (!of_.name.empty()) row_[scope_] = std::string_view(of_.name);
    for (size_t i = 0; i < cells.size(); ++i) {
      if (places_[i] == nowhere) continue;
      row_[places_[i]] = places_[i] == key_ ? as_text(cells[i]) : cells[i];
    }
    if (of_.by == dimension_id) name_dimension();
    if (!of_.without_key.empty() && is_nothing(row_[key_])) {
      row_[scope_] = std::string_view(of_.without_key);
    }
    sink_.row(row_);
  }

 private:
  /// Where the cells of each column begin; at the end, how many there are.
  static std::vector<size_t> starts_of(const std::vector<Column>& columns, size_t dimensions) {
    std::vector<size_t> starts{0};
    for (const Column& one : columns) {
      starts.push_back(starts.back() + (one.id == table::dimension_columns ? dimensions : 1));
    }
    return starts;
  }
  /// A dimension with the name of another scope is `NAME_label`, as in columns.
  void name_dimension() {
    const auto* name = std::get_if<std::string_view>(&row_[scope_]);
    if (name == nullptr) return;
    const auto is_named = [&](const Scope& one) {
      return one.name == *name || one.without_key == *name;
    };
    if (std::none_of(all_.begin(), all_.end(), is_named)) return;
    dimension_ = fmt::format("{}_label", *name);
    row_[scope_] = std::string_view(dimension_);
  }
  Cell as_text(const Cell& cell) {
    const auto* number = std::get_if<int64_t>(&cell);
    if (number == nullptr) return cell;
    const auto end = std::to_chars(digits_, digits_ + sizeof(digits_), *number).ptr;
    return std::string_view(digits_, static_cast<size_t>(end - digits_));
  }

  static constexpr size_t nowhere = SIZE_MAX;

  RowSink& sink_;
  const Scope& of_;
  std::span<const Scope> all_;
  std::string dimension_;
  size_t scope_ = 0;
  size_t key_ = 0;
  std::vector<size_t> places_;  // by cell of the part
  Cells row_;
  char digits_[24] = {};
};

void add_rows(const Definition& whole, const Scope& scope, const Source& source, RowSink& sink) {
  WholeRows rows(scope, whole, name_dimensions_of(source).size(), sink);
  table::RowsTo each([&](std::span<const Cell> cells) { rows.add(cells); });
  scope.part.rows(source, each);
}

}  // namespace

std::string name_of(const Scope& scope) {
  return scope.name.empty() ? scope.by_doc : "`" + scope.name + "`";
}

Definition scoped(std::string id, std::string title, std::string doc, std::vector<Scope> scopes) {
  Definition whole;
  whole.info.columns = columns_of(scopes);
  whole.info.in_short_form = false;
  for (const Scope& scope : scopes) {
    whole.needs |= scope.part.needs;
    whole.reads = whole.reads | scope.part.reads;
    whole.info.in_short_form |= scope.part.info.in_short_form;
  }
  whole.info.id = std::move(id);
  whole.info.title = std::move(title);
  whole.info.doc = std::move(doc);
  whole.scopes = std::make_shared<const Scopes>(Scopes{std::move(scopes)});
  return whole;
}

std::span<const Scope> scopes_of(const Definition& whole) {
  return whole.scopes == nullptr ? std::span<const Scope>() : std::span(whole.scopes->all);
}

std::vector<const Definition*> parts_of(const Definition& table) {
  std::vector<const Definition*> parts;
  for (const Scope& scope : scopes_of(table)) parts.push_back(&scope.part);
  if (parts.empty()) parts.push_back(&table);
  return parts;
}

std::vector<const Definition*> all_parts() {
  std::vector<const Definition*> parts;
  for (const Definition* one : all()) {
    for (const Definition* part : parts_of(*one)) parts.push_back(part);
  }
  return parts;
}

std::string where_in(const Definition& whole, const Definition& part) {
  for (const Scope& scope : scopes_of(whole)) {
    if (&scope.part != &part) continue;
    return fmt::format("its rows are those of `{}` with {}", whole.info.id,
                       scope.name.empty() ? "a `scope` that is " + name_of(scope)
                                          : fmt::format("scope = '{}'", scope.name));
  }
  return {};
}

table::Table make_whole(const Definition& whole, std::span<const Definition* const> parts,
                        const Source& source) {
  std::vector<const Definition*> own(parts.begin(), parts.end());
  return {whole.info, columns_with(whole, name_dimensions_of(source)),
          [&whole, own = std::move(own), &source](RowSink& sink) {
            for (const Scope& scope : scopes_of(whole)) {
              const bool wanted = std::find(own.begin(), own.end(), &scope.part) != own.end();
              if (wanted) add_rows(whole, scope, source, sink);
            }
          }};
}

}  // namespace kr::tables
