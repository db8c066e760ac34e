// The parts of an analysis as tables of cells, for outputs that print them alike.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "report/analysis.hpp"

namespace kr {

enum class Unit : uint8_t { text, count, time, share, number };

struct SectionColumn {
  enum class Role : uint8_t {
    plain,
    run,     // names a run: says nothing where there is only one
    sketch,  // says in short, for a person, what another part tells in full: not in CSV
  };
  std::string name;  // of the column in CSV
  Unit unit = Unit::text;
  Role role = Role::plain;
};

/// Nothing, a text, a whole number, a number. Times are in ns; shares are from 0 to 1.
using SectionCell = std::variant<std::monostate, std::string, int64_t, double>;

struct Section {
  std::string part;
  std::string title;
  std::vector<SectionColumn> columns;
  std::vector<std::vector<SectionCell>> rows;
};

/// The section of one part, of all runs.
Section section(const std::vector<AnalyzedRun>& runs, const std::string& part);

}  // namespace kr
