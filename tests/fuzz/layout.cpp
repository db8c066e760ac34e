// Any bytes at all through the layout of rules files: laid out again they stay as they are, and
// what is wrong in them stays wrong in the same way. (That they mean the same, lay_out checks
// itself.)
//
// Two programs from one source, as with parse_kr.cpp.
#include "layout/layout.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/check.hpp"
#include "changed_rules.hpp"

using namespace kr;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  source::SourceMap sources;
  const source::FileId file =
      sources.add("fuzz.kr", std::string(reinterpret_cast<const char*>(data), size));
  const layout::Layout once = layout::lay_out(sources, file);
  const source::FileId again = sources.add("fuzz.kr", once.text);
  const layout::Layout twice = layout::lay_out(sources, again);
  KR_CHECK(twice.text == once.text);
  KR_CHECK(twice.sink.all().size() == once.sink.all().size());
  return 0;
}

#ifndef KR_LIBFUZZER
int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 20000;
  const auto run = [](const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  const std::vector<std::string> texts = fuzz::seeds();
  for (const std::string& text : texts) run(text);
  fuzz::Mutator mutator(texts);
  for (long round = 0; round < rounds; ++round) run(mutator.next());
  std::printf("%zu files, %ld changed ones\n", texts.size(), rounds);
}
#endif
