// What to do if rules explain too little of the time.
#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "base/plural.hpp"
#include "base/shell_word.hpp"
#include "overview/overview.hpp"

namespace kr::overview {
namespace {

/// Below this, in percent, labels say too little about the time.
constexpr int well_explained = 95;

}  // namespace

int64_t explained_ns(const analyze::RunSummary& run, std::string_view dimension) {
  const auto at = run.dimension(dimension);
  return at ? run.dimensions[*at].explained_ns : 0;
}

bool is_well_explained(const analyze::RunSummary& run, std::string_view dimension) {
  // Order rules do not have to explain everything.
  if (const auto at = run.dimension(dimension); at && run.dimensions[*at].ordered) return true;
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
  for (const std::string& option : report.options) next.command += " " + shell_word(option);
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

namespace {

/// Its file, which may have several ranks.
std::string named_run(const analyze::RunSummary& run) {
  std::string name = run.source;
  const bool of_several = !run.distributed.member.empty() || name.find(".krun (") != name.npos;
  if (of_several && name.ends_with(')')) name.erase(name.rfind(" ("));
  return name;
}

/// `*` stands for what the texts differ in. They are sorted, and two or more.
std::string with_asterisk(const std::vector<std::string>& texts) {
  const std::string& first = texts.front();
  const auto differs = std::ranges::mismatch(first, texts.back()).in1 - first.begin();
  const auto begin = static_cast<size_t>(differs);
  size_t end = first.size() - begin;
  for (const std::string& text : texts) {
    const auto same = std::mismatch(first.rbegin(), first.rend(), text.rbegin(), text.rend());
    end = std::min({end, static_cast<size_t>(same.first - first.rbegin()), text.size() - begin});
  }
  const std::string last = first.substr(first.size() - end);
  return shell_word(first.substr(0, begin)) + "*" + (last.empty() ? last : shell_word(last));
}

}  // namespace

std::string runs_as_words(const Report& report) {
  constexpr size_t most_runs = 2;
  std::vector<std::string> runs;
  for (const analyze::RunSummary* run : report.runs) {
    std::string name = named_run(*run);
    // A shell expands no `*` with an engine and model behind it.
    const bool chosen = run->choice_why.empty() && report.runs.size() <= most_runs;
    if (chosen) name += "," + run->engine + "," + run->model;
    if (std::ranges::find(runs, name) == runs.end()) runs.push_back(std::move(name));
  }
  std::vector<std::string> words;
  if (runs.size() <= most_runs) {
    for (const std::string& run : runs) words.push_back(shell_word(run));
  } else {
    std::ranges::sort(runs);
    words.push_back(with_asterisk(runs));
  }
  for (const auto* options : {&report.options, &report.report_options}) {
    for (const std::string& option : *options) words.push_back(shell_word(option));
  }
  return join(words, " ");
}

}  // namespace kr::overview
