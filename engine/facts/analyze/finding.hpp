// What limits the trust in the tables of a run: one finding each, with its effect on them. The list
// of what there may be is findings.def; `find_health` (analyze/health.hpp) finds most of them, and
// code that finds another adds it to RunSummary::findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/warning.hpp"

namespace kr::analyze {

/// The worst first.
enum class FindingCode : uint8_t {
#define KR_FINDING(symbol, code, severity, tables, effect) symbol,
#include "analyze/findings.def"
#undef KR_FINDING
};

/// `error`: results are of a part of the run. `warning`: some are wrong or missing. `info`: they
/// are right, but may be misread.
enum class Severity : uint8_t { error, warning, info };
std::string_view to_string(Severity severity) noexcept;
std::optional<Severity> severity_from(std::string_view text) noexcept;

struct Finding {
  std::string code;  // `hidden-graph-kernels`
  Severity severity = Severity::info;
  std::optional<int64_t> count;  // records, operations or steps concerned
  std::string effect;            // a clause without a full stop
  std::string tables;            // ids, separated by commas; `all`
};

/// `figure`: what the effect has for `{}`.
Finding finding(FindingCode code, std::optional<int64_t> count, std::string_view figure = {});
/// The finding that a note of this code is, if it is one.
std::optional<FindingCode> finding_of_note(std::string_view code) noexcept;

/// Whether no note says that a trace without operations is in a layout that kr does not know: only
/// then it has no GPU work.
bool knows_layout(const std::vector<Warning>& notes) noexcept;

/// By severity, then in the order of findings.def.
void sort_worst_first(std::vector<Finding>& findings);

}  // namespace kr::analyze
