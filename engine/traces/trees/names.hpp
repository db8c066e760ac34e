// The names of nodes of module trees in outputs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sema/program.hpp"
#include "trace/module_trace.hpp"

namespace kr::trees {

/// All names from the root, joined by ` > `. `with_ordinals`: a second child of one name is
/// `NAME #2`, so that different paths have different texts.
std::string path_text(const trace::ModuleTrace& trace, trace::PathId path,
                      bool with_ordinals = false);

/// A different name for each path: the node's own name and those above it, nearest first, joined by
/// ` <- `, as many as make it unique. A second child of one name is `NAME #2`. If names that
/// contain ` <- ` themselves are still equal, more of the path follows, and finally a number.
std::vector<std::string> unique_names(const trace::ModuleTrace& trace,
                                      std::span<const trace::PathId> paths);

/// The name of a node that represents `count` siblings: `Layer ×36`, `Norm ×72 <- Layer`.
std::string with_count(std::string name, uint64_t count);

/// At most `width` characters of UTF-8 (0: no limit); `...` replaces the end of a longer text.
std::string cut_at_end(std::string text, size_t width);

/// Appends a number, ` #2`, to the second and later of equal names, so that all differ. At most
/// `width` characters (0: no limit), if that leaves room for the number.
void make_distinct(std::vector<std::string>& names, size_t width);

}  // namespace kr::trees
