#include "analyze/finding.hpp"

#include <algorithm>
#include <array>

namespace kr::analyze {
namespace {

struct FindingInfo {
  std::string_view code;
  Severity severity;
  std::string_view tables;
  std::string_view effect;
};

constexpr FindingInfo finding_infos[] = {
#define KR_FINDING(symbol, code, severity, tables, effect) \
  {code, Severity::severity, tables, effect},
#include "analyze/findings.def"
#undef KR_FINDING
};

constexpr std::array<std::string_view, 3> severities{"error", "warning", "info"};

size_t finding_place(std::string_view code) {
  const auto at = std::find_if(std::begin(finding_infos), std::end(finding_infos),
                               [&](const FindingInfo& one) { return one.code == code; });
  return static_cast<size_t>(at - std::begin(finding_infos));
}

}  // namespace

std::string_view to_string(Severity severity) noexcept {
  return severities[static_cast<size_t>(severity)];
}

std::optional<Severity> severity_from(std::string_view text) noexcept {
  const auto at = std::find(severities.begin(), severities.end(), text);
  if (at == severities.end()) return std::nullopt;
  return static_cast<Severity>(at - severities.begin());
}

Finding finding(FindingCode code, std::optional<int64_t> count, std::string_view figure) {
  const FindingInfo& info = finding_infos[static_cast<size_t>(code)];
  std::string effect(info.effect);
  if (const size_t at = effect.find("{}"); at != effect.npos) effect.replace(at, 2, figure);
  return {std::string(info.code), info.severity, count, std::move(effect),
          std::string(info.tables)};
}

std::optional<FindingCode> finding_of_note(std::string_view code) noexcept {
  const size_t at = finding_place(code);
  if (at == std::size(finding_infos)) return std::nullopt;
  return static_cast<FindingCode>(at);
}

bool knows_layout(const std::vector<Warning>& notes) noexcept {
  const std::string_view unknown =
      finding_infos[static_cast<size_t>(FindingCode::unknown_layout)].code;
  return std::none_of(notes.begin(), notes.end(),
                      [&](const Warning& note) { return note.code == unknown; });
}

void sort_worst_first(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.severity != b.severity ? a.severity < b.severity
                                    : finding_place(a.code) < finding_place(b.code);
  });
}

}  // namespace kr::analyze
