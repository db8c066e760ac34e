// What the browser tests open, by kind of page. Each `make` writes its pages into the folder.
#pragma once

#include <filesystem>
#include <string>

#include "match/compiled_rules.hpp"

namespace kr::test {
/// Throws Error if the rules have errors.
match::CompiledRules compile_rules(std::string text);
}  // namespace kr::test

namespace kr::test::report_pages {
void make(const std::filesystem::path& folder);
}
namespace kr::test::tree_pages {
void make(const std::filesystem::path& folder);
}
namespace kr::test::timeline_pages {
void make(const std::filesystem::path& folder);
}
namespace kr::test::analysis_pages {
void make(const std::filesystem::path& folder);
}
namespace kr::test::roofline_pages {
void make(const std::filesystem::path& folder);
}
namespace kr::test::rank_pages {
void make(const std::filesystem::path& folder);
}
