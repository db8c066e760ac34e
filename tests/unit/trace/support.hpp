// What the tests of trace/ share: small files in a folder of their own, and a trace as text.
#pragma once

#include <string>
#include <string_view>

#include "trace/open.hpp"
#include "trace/trace.hpp"

namespace kr::test {

/// A folder that goes with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string write(std::string_view name, std::string_view bytes) const;

 private:
  std::string path_;
};

/// Everything a trace says of its operations, in their order: a line each.
std::string dump(const trace::Trace& trace);
/// `what()` of the Error that opening throws; empty where it throws none.
std::string error_of(const std::string& path, const trace::OpenOptions& options = {});

std::string gzip(std::string_view bytes);
std::string zstd(std::string_view bytes);

}  // namespace kr::test
