// make_sarif FOLDER: SARIF logs for sarif.test.mjs, and the files they speak of.
#include <filesystem>
#include <iostream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "diag/render.hpp"
#include "explain/explain.hpp"

using namespace kr;

namespace {

constexpr std::string_view hostile = "\x1b[1m\xff\r\n%: a,b ]]> <x y=\"z\">&'\xed\xa0\x80\x7f";

/// Findings all over a file: every code, spans of all kinds, the other party, fixes.
void add_findings(source::FileId file, const std::vector<uint32_t>& places, diag::Sink& sink) {
  const auto place = [&](size_t i) { return places[i % places.size()]; };
  size_t i = 0;
  for (const diag::CodeInfo& info : diag::all_codes()) {
    if (info.severity == diag::Severity::retired) continue;
    ++i;
    const uint32_t a = place(i * 7);
    const uint32_t b = place(i * 11);
    diag::Diagnostic& added = sink.add(info, {file, std::min(a, b), std::max(a, b)},
                                       std::string(i % 2 == 0 ? hostile : "plain"));
    added.severity = static_cast<diag::Severity>(i % 3);
    if (i % 2 == 0) added.related({file, place(i), place(i)}, "{}", hostile);
    if (i % 3 == 0) added.related({}, "nowhere").help("{}", hostile);
    if (i % 4 == 0) added.witness = hostile;
    if (i % 5 == 0) {
      added.fix = diag::Fix{
          i % 2 == 0, {{{file, 3, 3}, "inserted\n"}, {{file, places.back(), places.back()}, ""}}};
    }
  }
}

/// The begins of characters of a text that has only what is made below.
std::vector<uint32_t> places_of(std::string_view text) {
  std::vector<uint32_t> places;
  for (uint32_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) places.push_back(i);
  }
  places.push_back(static_cast<uint32_t>(text.size()));
  return places;
}

void run(const std::filesystem::path& folder) {
  const std::pair<std::string, std::string> texts[] = {
      {"plain.kr", "engine e {\n  substage { misc: otherwise }\n}\n"},
      {"a #b%/ü:.kr", "\xef\xbb\xbf## é → 𝄞 \r\n\xff é\r\n\r\n𝄞𝄞\xff\xfe \n  a"},
      {"long.kr",
       [] {
         std::string text;
         for (int i = 0; i < 4000; ++i) text += i % 9 == 0 ? "é\n" : i % 5 == 0 ? "𝄞\xff" : "abc ";
         return text;
       }()},
  };
  source::SourceMap sources;
  diag::Sink sink;
  for (const auto& [path, text] : texts) {
    std::filesystem::create_directories((folder / path).parent_path());
    write_file(folder / path, text);
    add_findings(sources.add(path, text), places_of(text), sink);
  }
  sink.add(diag::code::syntax, source::Span{}, "a place", "none");
  diag::FormatOptions options;
  options.version = "1.2.3";
  options.page = explain::page_of;
  write_file(folder / "hostile.sarif",
             diag::render_findings(diag::FindingFormat::sarif, sources, sink.all(), options));
  write_file(folder / "clean.sarif",
             diag::render_findings(diag::FindingFormat::sarif, sources, {}, options));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw Error("", "usage: make_sarif FOLDER");
    run(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
