// What to do if rules explain too little of the time.
#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "base/plural.hpp"
#include "overview/overview.hpp"

namespace kr::overview {
namespace {

/// Below this, in percent, labels say too little about the time.
constexpr int well_explained = 95;

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
  if (!text.empty() && text.find_first_not_of(safe) == text.npos) return std::string(text);
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

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

std::string runs_as_words(const Report& report) {
  constexpr size_t most_files = 2;
  std::vector<std::string_view> files;
  for (const analyze::RunSummary* run : report.runs) files.emplace_back(run->source);
  std::vector<std::string> words;
  if (files.size() <= most_files) {
    for (const std::string_view file : files) words.push_back(shell_word(file));
  } else {
    const auto [least, most] = std::ranges::minmax(files);
    const auto differs = std::ranges::mismatch(least, most).in1 - least.begin();
    size_t begin = static_cast<size_t>(differs);
    size_t end = least.size();
    for (const std::string_view file : files) {
      const auto same = std::mismatch(least.rbegin(), least.rend(), file.rbegin(), file.rend());
      end = std::min(end, static_cast<size_t>(same.first - least.rbegin()));
    }
    end = std::min(end, least.size() - begin);
    const std::string_view last = least.substr(least.size() - end);
    words.push_back(shell_word(least.substr(0, begin)) + "*" +
                    (last.empty() ? std::string() : shell_word(last)));
  }
  for (const std::string& rules : report.rules) words.push_back("--rules " + shell_word(rules));
  return join(words, " ");
}

}  // namespace kr::overview
