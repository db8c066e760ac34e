// What nodes of module trees are called where they are shown.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sema/program.hpp"
#include "trace/module_trace.hpp"

namespace kr::trees {

/// All names from the root, joined by ` > `.
std::string path_text(const trace::ModuleTrace& trace, trace::PathId path);

/// A name a path, no two alike: the node's own and as many of those above it, nearest first, joined
/// by ` <- `, as tell it from the others of its name. A child that has namesakes among its siblings
/// is `NAME #2` from the second on. Where texts themselves contain such joints and still read
/// alike, more of the path and at last a number follow.
std::vector<std::string> unique_names(const trace::ModuleTrace& trace,
                                      std::span<const trace::PathId> paths);

/// At most `width` characters of UTF-8 (0: no limit), cut at the end, `...` there.
std::string cut_at_end(std::string text, size_t width);

/// `name` with a number behind it, ` #2`, from the second on, so that none are alike; at most
/// `width` characters (0: no limit) wherever that leaves room for the number.
void make_distinct(std::vector<std::string>& names, size_t width);

}  // namespace kr::trees
