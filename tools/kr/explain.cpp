// kr explain: what a code means.
#include "explain/explain.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/error.hpp"
#include "base/join.hpp"
#include "base/printable.hpp"
#include "tables/verdicts.hpp"
#include "text/text_grid.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct ExplainOptions {
  std::vector<std::string> codes;
  bool index = false;
};

const diag::CodeInfo& code_of(const std::string& word) {
  const diag::CodeInfo* info = explain::find_code_loosely(word);
  if (info != nullptr) return *info;
  const auto near = explain::nearest_code(word);
  const std::vector<std::string> with =
      near ? std::vector<std::string>() : explain::codes_with(word);
  if (!with.empty()) {
    throw Error("", fmt::format("unknown code or name `{}`", word),
                fmt::format("names that contain it: {}", join(with, ", ")));
  }
  throw Error("", fmt::format("unknown code or name `{}`", word),
              near ? fmt::format("did you mean `{}`?", *near) : "`kr explain` lists all codes");
}

const tables::VerdictCode* verdict_of(const std::string& word) {
  const std::vector<tables::VerdictCode>& codes = tables::verdict_codes();
  const auto at = std::ranges::find(codes, word, &tables::VerdictCode::code);
  return at == codes.end() ? nullptr : &*at;
}

std::string verdict_text(const tables::VerdictCode& verdict, size_t width) {
  return fmt::format(
      "{}\n\n{}", verdict.code,
      text::wrapped(fmt::format("verdict of `kr report`: {}. The table `verdicts` "
                                "has its numbers, and names the table that shows them.",
                                verdict.doc),
                    width, 0));
}

std::string verdicts_list(bool color) {
  std::string text = color ? "\n\x1b[1mVerdicts\x1b[0m\n" : "\nVerdicts\n";
  for (const tables::VerdictCode& one : tables::verdict_codes()) {
    text += fmt::format("{:<21}  {}\n", one.code, one.doc);
  }
  return text;
}

std::string page_text(const diag::CodeInfo& info, explain::PageStyle style) {
  if (info.severity == diag::Severity::retired) {
    return fmt::format("{} {}\n\nkr no longer reports this code: {}.\n", info.id, info.name,
                       info.message);
  }
  const std::string_view page = explain::page_of(info);
  if (!page.empty()) return explain::render_page(page, style);
  return fmt::format("{} {}\n\n{}: {}\n", info.id, info.name, diag::to_string(info.severity),
                     diag::description(info));
}

Exit explain(const ExplainOptions& options, Streams& streams) {
  if (options.index) {
    streams.out(explain::codes_markdown());
    return Exit::done;
  }
  if (options.codes.empty()) {
    streams.out(explain::codes_text(streams.color_out()) + verdicts_list(streams.color_out()));
    return Exit::done;
  }
  const auto width = static_cast<size_t>(std::clamp(streams.out_width(), 0, 100));
  std::string text;
  for (const std::string& word : options.codes) {
    if (!text.empty()) text += '\n';
    const tables::VerdictCode* const verdict = verdict_of(word);
    text += verdict != nullptr
                ? verdict_text(*verdict, width)
                : page_text(code_of(word), {.color = streams.color_out(), .width = width});
  }
  streams.out(text);
  return Exit::done;
}

void add_explain_options(CLI::App& app, ExplainOptions& options) {
  app.add_option(
         "CODE", options.codes,
         "Codes (KR204) or names (unknown-label), or verdicts (host-bound); default: list all")
      ->delimiter(',');
  app.add_flag("--index", options.index, "Print the list of all codes as Markdown");
}

}  // namespace

const Verb explain_verb{"explain", "explain a finding or verdict", "kr explain unknown-label",
                        setup<ExplainOptions, add_explain_options, explain>, "Rules"};

}  // namespace kr::cli
