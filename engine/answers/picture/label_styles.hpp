// Titles and colours of labels and nodes, the same on every page and picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/summary.hpp"
#include "sema/program.hpp"
#include "trees/view.hpp"

namespace kr::picture {

/// How labels are shown: titles, colours, order. Made once from the Program so that every run and
/// page shows a label the same way.
struct LabelStyle {
  std::string dimension;
  std::string label;
  std::string title;
  std::string color;  // `#rrggbb`, always set
  std::string doc;
};

/// One style for every label that occurs in `runs`. Titles, colours and docs are those declared by
/// the runs' models, the first that has one; a label without a colour gets one that depends on its
/// text alone, so that it looks the same in every run and page.
std::vector<LabelStyle> label_styles(const sema::Program& program,
                                     const std::vector<const analyze::RunSummary*>& runs);
/// That of one label of one model.
LabelStyle label_style(const sema::Program& program, sema::ModelId model,
                       std::string_view dimension, std::string_view label);

/// `#rrggbb` by entry. Labels have the colours of reports; nodes get theirs by rank, each unlike
/// the labels' and unlike those ranked before it as long as there are such; `others` is grey.
std::vector<std::string> tree_colors(const sema::Program& program, const trees::TreeView& view);

}  // namespace kr::picture
