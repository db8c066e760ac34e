// make_pages FOLDER: writes all pages and pictures that the browser tests open.
#include "make_pages.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "sema/load.hpp"

kr::match::CompiledRules kr::test::compile_rules(std::string text) {
  kr::diag::Sink sink;
  kr::match::CompiledRules compiled;
  std::vector<kr::sema::SourceFile> files;
  files.push_back({"rules.kr", std::move(text), true, {}});
  compiled.rules = kr::sema::load_rules(std::move(files), sink);
  if (sink.has_errors()) throw kr::Error("rules.kr", sink.all()[0].message);
  compiled.database = kr::match::Database::compile(compiled.program(), std::nullopt);
  compiled.named = true;
  return compiled;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  for (auto* const make : {kr::test::report_pages::make, kr::test::tree_pages::make,
                           kr::test::timeline_pages::make, kr::test::analysis_pages::make,
                           kr::test::roofline_pages::make, kr::test::rank_pages::make}) {
    make(arguments[1]);
  }
  return 0;
}
