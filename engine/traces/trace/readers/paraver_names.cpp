#include "trace/readers/paraver_names.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/ascii.hpp"
#include "trace/readers/paraver_header.hpp"

namespace kr::trace {
namespace {

struct RoleLabel {
  std::string_view begin;  // of the label
  ParaverRole role;
};

constexpr std::array<RoleLabel, 18> role_labels{{
    {"cuda kernel source", ParaverRole::other},  // of Extrae: a line of code
    {"cuda kernel", ParaverRole::kernel},
    {"nccl kernel", ParaverRole::kernel},
    {"cuda memcpy kernel", ParaverRole::copy},
    {"cuda memory operation", ParaverRole::copy},
    {"cuda library call", ParaverRole::call},
    {"cuda api call", ParaverRole::call},
    {"nvtx", ParaverRole::range},
    // Of Extrae: what a thread called.
    {"mpi ", ParaverRole::range},
    {"openmp", ParaverRole::range},
    {"pthread", ParaverRole::range},
    {"user function", ParaverRole::range},
    {"kr host module", ParaverRole::module},
    {"memcopy size", ParaverRole::bytes},
    {"memory operation size", ParaverRole::bytes},
    {"cudamemcpy size", ParaverRole::bytes},
    {"correlation id", ParaverRole::correlation},
    {"correlationid", ParaverRole::correlation},
}};

std::string_view next_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
    line.remove_suffix(1);
  }
  return line;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// A number and the blanks behind it.
std::optional<int64_t> take_column(std::string_view& text) {
  skip_blanks(text);
  const auto number = take_number(text);
  skip_blanks(text);
  return number;
}

bool take_text(std::string_view& text, std::string_view head) {
  if (!text.starts_with(head)) return false;
  text.remove_prefix(head.size());
  return true;
}

/// Of `THREAD 1.1.2 (3)` 2: the third row of that thread.
uint32_t lane_of(std::string_view label) {
  const size_t at = label.rfind(" (");
  if (!label.starts_with("THREAD ") || at == label.npos) return 0;
  label.remove_prefix(at + 2);
  const auto number = take_number(label);
  const bool whole = number && label == ")" && *number >= 1 && *number <= UINT16_MAX;
  return whole ? static_cast<uint32_t>(*number - 1) : 0;
}

/// `CUDA-D0.S7`, `Metrics GPU0`, with whatever follows.
ParaverRow row_of(std::string_view label) {
  ParaverRow row;
  row.kind = ParaverRow::Kind::host;
  row.lane = lane_of(label);
  const bool stream = take_text(label, "CUDA-D");
  if (!stream && !take_text(label, "Metrics GPU")) return row;
  const auto device = take_number(label);
  if (!device || *device < std::numeric_limits<int32_t>::min() ||
      *device > std::numeric_limits<int32_t>::max()) {
    return row;
  }
  row.device = static_cast<int32_t>(*device);
  if (!stream) {
    row.kind = ParaverRow::Kind::metrics;
    return row;
  }
  if (!take_text(label, ".S")) return row;
  if (const auto number = take_number(label)) {
    row.stream = *number;
    row.kind = ParaverRow::Kind::stream;
  }
  return row;
}

}  // namespace

ParaverRole paraver_role_of(std::string_view label) noexcept {
  for (const RoleLabel& one : role_labels) {
    if (label.size() >= one.begin.size() &&
        same_ignoring_case(label.substr(0, one.begin.size()), one.begin)) {
      return one.role;
    }
  }
  return ParaverRole::other;
}

ParaverNames::ParaverNames(std::string_view pcf, std::string_view row) {
  read_labels(pcf);
  read_rows(row);
}

void ParaverNames::read_labels(std::string_view text) {
  enum class Section : uint8_t { other, types, values, states };
  Section section = Section::other;
  std::vector<int64_t> block;  // types
  std::shared_ptr<ParaverValueLabels> values;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (line.empty()) continue;
    if (line.front() >= 'A' && line.front() <= 'Z') {
      section = line == "EVENT_TYPE" ? Section::types
                : line == "VALUES"   ? Section::values
                : line == "STATES"   ? Section::states
                                     : Section::other;
      if (section == Section::types) block.clear();
      if (section != Section::values) continue;
      values = std::make_shared<ParaverValueLabels>();
      for (const int64_t type : block) types_[type].values = values;
      continue;
    }
    if (section == Section::other) continue;
    auto number = take_column(line);
    if (section == Section::types && number) number = take_column(line);  // behind the colour
    if (!number) continue;
    if (section == Section::types) {
      types_[*number] = {std::string(line), paraver_role_of(line), nullptr};
      block.push_back(*number);
    } else {
      (section == Section::states ? states_ : *values).try_emplace(*number, line);
    }
  }
}

void ParaverNames::read_rows(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (!take_text(line, "LEVEL THREAD SIZE ")) continue;
    const auto size = take_number(line);
    while (size && static_cast<int64_t>(rows_.size()) < *size && !text.empty()) {
      rows_.push_back(row_of(next_line(text)));
      has_streams_ |= rows_.back().kind == ParaverRow::Kind::stream;
    }
    return;
  }
}

const ParaverType* ParaverNames::type(int64_t number) const {
  const auto known = types_.find(number);
  return known == types_.end() ? nullptr : &known->second;
}

std::string_view ParaverNames::state(int64_t number) const {
  const auto known = states_.find(number);
  return known == states_.end() ? std::string_view() : known->second;
}

bool ParaverNames::has(ParaverRole role) const noexcept {
  return std::any_of(types_.begin(), types_.end(),
                     [role](const auto& one) { return one.second.role == role; });
}

}  // namespace kr::trace
