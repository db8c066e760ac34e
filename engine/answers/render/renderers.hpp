// The formats of results, and which files of them kr has written: an output replaces no others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace kr::render {

/// What a file of a format has.
enum class Content : uint8_t {
  table,     // one table
  tables,    // all of them
  database,  // the same; written here and there, so not to a stream
  run,       // every operation of one run
  runs,      // every operation of all runs, in three files
};

/// A row of renderers.def.
struct Renderer {
  std::string_view name;
  std::string_view ending;
  bool for_people;
  Content content;
};

/// `operations`: those that have every operation, too.
std::vector<std::string> format_names(bool operations);
/// Throws InternalError if there is none of that name.
const Renderer& renderer_named(std::string_view name);
/// The one that the ending of a file means, also before `.gz`. Null: it means none of them.
const Renderer* renderer_of_file(std::string_view path, bool operations);

/// Throws Error if there is a file with content that kr did not write: it has no mark of
/// renderers.def, of a picture or of a `.krdb`, and does not begin with `begin`, unless that is
/// empty.
void check_own(const PendingFile& file, std::string_view begin = {});

}  // namespace kr::render
