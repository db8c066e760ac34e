// Rules from a text in a test.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "diag/diagnostic.hpp"
#include "match/compiled_rules.hpp"

namespace kr::test {

/// The rules of one file `test.kr`; a test that gives bad ones fails.
inline match::CompiledRules compile(std::string text) {
  diag::Sink sink;
  match::CompiledRules compiled;
  std::vector<sema::SourceFile> files;
  files.push_back({"test.kr", std::move(text), true, {}});
  compiled.rules = sema::load_rules(std::move(files), sink);
  for (const diag::Diagnostic& diagnostic : sink.all()) INFO(diagnostic.message);
  REQUIRE_MESSAGE(!sink.has_errors(), "the rules of the test have errors");
  compiled.database = match::Database::compile(compiled.program(), std::nullopt);
  compiled.named = true;
  return compiled;
}

}  // namespace kr::test
