// Tables with every unit and odd texts.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "render/render.hpp"

namespace kr::test {

using kr::Cell;
using kr::Role;
using kr::RowSink;
using kr::Table;
using kr::Unit;

inline const TableInfo units_info{"units",
                                  "all units",
                                  "One row per odd text.",
                                  {{"run", Unit::text, Role::key, "The run."},
                                   {"name", Unit::text, Role::key, "An odd text."},
                                   {"device", Unit::id, Role::key, "The device."},
                                   {"calls", Unit::count, Role::measure, "Calls."},
                                   {"total_ns", Unit::ns, Role::measure, "Their time."},
                                   {"mean_ns", Unit::ns, Role::measure, "Time per call.", true},
                                   {"size", Unit::bytes, Role::detail, "Bytes."},
                                   {"share", Unit::ratio, Role::measure, "Part of all time."},
                                   {"speedup", Unit::factor, Role::measure, "How much faster."},
                                   {"rate", Unit::per_second, Role::detail, "Calls per second."},
                                   {"work", Unit::flop, Role::detail, "Work."},
                                   {"load", Unit::percent, Role::detail, "Load."},
                                   {"clock", Unit::hz, Role::detail, "Clock."},
                                   {"seen", Unit::boolean, Role::measure, "Whether it was seen."},
                                   {"reason", Unit::text, Role::detail, "A reason.", true},
                                   {"in_short", Unit::text, Role::short_form, "All in one text."}}};

inline void add_units(RowSink& sink) {
  const std::string hostile("\xff\0x\n", 4);
  sink.row({"a", "=1+1", int64_t{1000}, int64_t{1234567}, int64_t{12'345'678}, 10.5, int64_t{4096},
            0.12345, 1.25, 1e6, 1.5e12, 99.95, int64_t{1'980'000'000}, int64_t{1}, Cell(),
            "short 1"});
  sink.row({"a", "say \"hi\", a|b", int64_t{0}, int64_t{0}, int64_t{-500}, Cell(), int64_t{0}, 0.0,
            0.5, 0.0, int64_t{7}, 0.0, 1.0, int64_t{0}, "back\\slash `code` <b> _a_b", "short 2"});
  sink.row({"a", hostile, int64_t{2}, 2.5, int64_t{999'999}, 0.1, int64_t{1}, 1.0, 1e22, 1e-7,
            std::numeric_limits<double>::infinity(), 100.0, 0.0, int64_t{0}, "µ\ttab", "short 3"});
}

inline Table units_table() {
  return {units_info, units_info.columns, add_units};
}

inline const TableInfo runs_info{
    "runs", "runs", "One row per run.", {{"run", Unit::text, Role::key, "The run."}}, true};
inline Table runs_table() {
  return {runs_info, runs_info.columns, [](RowSink& sink) { sink.row({"a"}); }};
}

inline const TableInfo empty_info{
    "empty", "no rows", "No rows.", {{"run", Unit::text, Role::key, "The run."}}};
inline Table empty_table() {
  return {empty_info, empty_info.columns, [](RowSink&) {}};
}

/// What a renderer writes, and in pieces no larger than they may be.
struct Collected {
  std::string bytes;
  size_t pieces = 0;
  size_t largest = 0;
  render::Bytes sink() {
    return [this](std::string_view piece) {
      bytes += piece;
      ++pieces;
      largest = std::max(largest, piece.size());
    };
  }
};

/// What every file of JSON begins with.
inline std::string json_head() {
  Collected collected;
  render::json({}, collected.sink());
  return collected.bytes.substr(0, collected.bytes.find(",\n"));
}

/// So many rows that they come in pieces, with a text that is longer than one.
inline const TableInfo long_info{"long",
                                 "long table",
                                 "One row per number.",
                                 {{"number", Unit::count, Role::key, "The number."},
                                  {"text", Unit::text, Role::measure, "A text."}}};
inline constexpr int64_t long_rows = 30'000;
inline std::string long_text(int64_t number) {
  return std::string(number == 20'000 ? 200'000 : static_cast<size_t>(number % 7), 'x');
}
inline Table long_table() {
  return {long_info, long_info.columns, [](RowSink& sink) {
            for (int64_t i = 0; i < long_rows; ++i) sink.row({i, long_text(i)});
          }};
}

}  // namespace kr::test
