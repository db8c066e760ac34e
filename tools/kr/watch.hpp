// `kr report --watch FOLDER`: reports each new trace in a folder.
#pragma once

#include <functional>
#include <string>

#include "streams.hpp"
#include "verb.hpp"

namespace kr::cli {

/// Until the user interrupts kr, calls `report` with the path of each file that appears in the
/// folder, or changes, once its size and time of change have stayed the same for a second. What is
/// there at the beginning, hidden files and folders are not new files, nor are the files of SQLite
/// beside a database, and the export beside a report of nsys. If `report` throws Error, the
/// file is not whole yet: it is tried again when it has changed. Files that never became whole are
/// said at the end. Throws Error if the folder cannot be read.
Exit watch_folder(const std::string& folder,
                  const std::function<void(const std::string& path)>& report, Streams& streams);

}  // namespace kr::cli
