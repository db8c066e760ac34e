// `kr diff` of runs, for people: on a terminal, and as Markdown for a pull request.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "table/table.hpp"
#include "tables/source.hpp"

namespace kr::overview {

struct RunChangesOptions {
  std::string by = "substage";  // the dimension that is shown
  bool color = false;
  int width = 0;        // 0: no limit
  size_t max_rows = 0;  // per table; 0: all
};

using Bytes = std::function<void(std::string_view)>;

/// `tables` are those of the comparison, from which rows and columns are chosen.
void run_changes_text(const tables::RunPair& pair, std::span<const table::Table> tables,
                      const RunChangesOptions& options, const Bytes& out);
/// Without names, which are long.
void run_changes_markdown(const tables::RunPair& pair, std::span<const table::Table> tables,
                          const RunChangesOptions& options, const Bytes& out);

}  // namespace kr::overview
