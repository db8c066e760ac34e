#include "tables/scoped.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tables/registry.hpp"
#include "tables/source.hpp"

namespace kr {
namespace {

using table::Cell;
using table::Role;
using table::RowSink;
using table::Unit;
using tables::Definition;
using tables::Scope;
using tables::Source;

Definition of_phases() {
  return {{.id = "phase_sums",
           .title = "sums of phases",
           .doc = "One row per phase.",
           .columns = {{"phase", Unit::text, Role::key, "The phase.", true},
                       {"total_ns", Unit::ns, Role::measure, "The time of the phase."},
                       {"run", Unit::text, Role::key, "The run."}}},
          {},
          [](const Source&, RowSink& sink) {
            sink.row({"decode", 7, "a"});
            sink.row({Cell(), 9, "a"});
          }};
}
Definition of_labels() {
  return {{.id = "label_sums",
           .title = "sums of labels",
           .doc = "One row per label.",
           .columns = {{"run", Unit::text, Role::key, "The run."},
                       {"dimension", Unit::text, Role::key, "The dimension."},
                       {"label", Unit::text, Role::key, "The label."},
                       {"short", Unit::text, Role::short_form, "For people."},
                       {"total_ns", Unit::ns, Role::measure, "The time of the label."},
                       {"share", Unit::ratio, Role::measure, "Its part."}},
           .in_short_form = false},
          {},
          [](const Source&, RowSink& sink) {
            sink.row({"a", "substage", "gemm", "g", 5, 0.5});
            sink.row({"a", "step", "x", "x", 6, 0.6});
          }};
}
Definition of_steps() {
  return {{.id = "step_sums",
           .title = "sums of steps",
           .doc = "One row per step.",
           .columns = {{"step_id", Unit::id, Role::key, "The step."},
                       {"total_ns", Unit::ns, Role::measure, "The time of the label."}}},
          {},
          [](const Source&, RowSink& sink) {
            sink.row({-3, 1});
          },
          [](const Source& source) { return std::string(source.runs.empty() ? "" : "no steps"); }};
}

Definition sums() {
  return tables::scoped(
      "sums", "sums", "One row per run and part of it.",
      {{.part = of_phases(), .name = "phase", .key = "phase", .without_key = "run"},
       {.part = of_labels(), .by = "dimension", .key = "label"},
       {.part = of_steps(), .name = "step", .key = "step_id"}});
}

std::string scoped_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  if (const auto* whole = std::get_if<int64_t>(&cell)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  return {};
}
std::vector<std::string> rows_of(const Table& table) {
  std::vector<std::string> rows;
  table::RowsTo to([&](std::span<const Cell> cells) {
    REQUIRE(cells.size() == table.columns().size());
    std::string row;
    for (size_t i = 0; i < cells.size(); ++i) row += (i == 0 ? "" : "|") + scoped_text(cells[i]);
    rows.push_back(row);
  });
  table.write(to);
  return rows;
}

}  // namespace

TEST_CASE("a table of several scopes has the columns of all, each once, behind scope and key") {
  const Definition whole = sums();
  std::string ids;
  for (const Column& one : whole.info.columns) ids += one.id + (one.optional ? "? " : " ");
  CHECK(ids == "run? scope key? total_ns share? ");
  CHECK(whole.info.columns[3].doc ==
        "Of `phase`: The time of the phase. Of a dimension, `step`: The time of the label.");
  CHECK(whole.info.columns[1].doc == "What the row is about: `phase`, a dimension, `step`.");
  CHECK(whole.info.in_short_form);
  CHECK(tables::parts_of(whole).size() == 3);
  CHECK(tables::scopes_of(of_steps()).empty());
  CHECK(tables::where_in(whole, *tables::parts_of(whole)[2]) ==
        "its rows are those of `sums` with scope = 'step'");
}

TEST_CASE("its rows are those of its parts, in their order; a key is a text") {
  const Definition whole = sums();
  const Source nothing;
  CHECK(rows_of(tables::make(whole, nothing)) ==
        std::vector<std::string>{"a|phase|decode|7|", "a|run||9|", "a|substage|gemm|5|0.5",
                                 "a|step_label|x|6|0.6", "|step|-3|1|"});
  const std::vector<const Definition*> parts = tables::parts_of(whole);
  CHECK(rows_of(tables::make_whole(whole, {&parts[2], 1}, nothing)) ==
        std::vector<std::string>{"|step|-3|1|"});
}

TEST_CASE("it is absent if all its parts are, for the reason of the first") {
  Source with_run;
  with_run.runs.emplace_back();
  const Definition whole =
      tables::scoped("sums", "sums", "One row per step.",
                     {{.part = of_steps(), .name = "step", .key = "step_id"},
                      {.part = of_steps(), .name = "again", .key = "step_id"}});
  CHECK(tables::absent(whole, with_run) == "no steps");
  CHECK(tables::absent(whole, Source()).empty());
  CHECK(tables::absent(sums(), with_run).empty());
  CHECK(rows_of(tables::make(sums(), with_run)).size() == 4);
}

TEST_CASE("former names are those of parts: programs get the table that they are part of") {
  for (const Definition* one : tables::all()) {
    for (const Scope& scope : tables::scopes_of(*one)) {
      INFO(scope.part.info.id);
      const Definition& known = tables::known_table(scope.part.info.id);
      CHECK((&known == &scope.part || &known == one));
    }
  }
}

}  // namespace kr
