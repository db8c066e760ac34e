// `kr analyze --format html`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "picture/label_styles.hpp"
#include "table/table.hpp"

namespace kr::page {

/// A page that needs nothing else: the tables as `--format json` has them, and what draws them.
/// `styles` are those of the labels that steps and phases have.
std::string analysis_html(std::span<const table::Table> tables, std::string_view title,
                          const std::vector<picture::LabelStyle>& styles);

}  // namespace kr::page
