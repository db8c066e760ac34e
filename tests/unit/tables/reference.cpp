#include <doctest/doctest.h>

#include <filesystem>

#include "base/file.hpp"
#include "support/source_folder.hpp"
#include "tables/registry.hpp"

TEST_CASE("docs/tables.md is made from the registry") {
  CHECK_MESSAGE(kr::read_file(std::filesystem::path(test::source_folder()) / "docs/tables.md") ==
                    kr::tables::reference_markdown(),
                "run `kr list reference > docs/tables.md`");
}
