// What to do if rules explain too little of the time.
#include <fmt/format.h>

#include "base/plural.hpp"
#include "overview/overview.hpp"

namespace kr::overview {
namespace {

/// Below this, in percent, labels say too little about the time.
constexpr int well_explained = 95;

/// As one word of a POSIX shell.
std::string shell_word(std::string_view text) {
  constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
  if (!text.empty() && text.find_first_not_of(safe) == text.npos) return std::string(text);
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

}  // namespace

int64_t explained_ns(const analyze::RunSummary& run, std::string_view dimension) {
  const auto at = run.dimension(dimension);
  return at ? run.dimensions[*at].explained_ns : 0;
}

bool is_well_explained(const analyze::RunSummary& run, std::string_view dimension) {
  return static_cast<__int128>(explained_ns(run, dimension)) * 100 >=
         static_cast<__int128>(run.gpu_total_ns) * well_explained;
}

std::optional<NextStep> next_step(const Report& report) {
  NextStep next;
  next.command = "kr coverage";
  const analyze::RunSummary* only = nullptr;
  size_t count = 0;
  for (const analyze::RunSummary* run : report.runs) {
    if (is_well_explained(*run, report.by)) continue;
    only = run;
    ++count;
    next.command += " " + shell_word(fmt::format("{},{},{}", run->source, run->engine, run->model));
  }
  if (count == 0) return std::nullopt;
  for (const std::string& rules : report.rules) next.command += " --rules " + shell_word(rules);
  if (report.by != "substage") next.command += " --by " + shell_word(report.by);
  next.text =
      report.runs.size() == 1
          ? fmt::format(
                "Rules of {} explain {} % of the total time. This shows what they do not "
                "explain, and rules to add:",
                report.by, share_explained(explained_ns(*only, report.by), only->gpu_total_ns))
          : fmt::format(
                "Rules of {} explain less than {} % of the total time of {}. This shows "
                "what they do not explain, and rules to add:",
                report.by, well_explained, plural(count, "run"));
  return next;
}

}  // namespace kr::overview
