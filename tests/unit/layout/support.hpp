// What the tests of layout share.
#pragma once

#include <string>

#include "layout/layout.hpp"

namespace kr::test {

inline std::string layout_of(const std::string& text) {
  source::SourceMap sources;
  const source::FileId file = sources.add("test.kr", text);
  return layout::lay_out(sources, file).text;
}

}  // namespace kr::test
