// What kr reads of the planes of an XSpace, in any order: work of GPUs and TPUs, calls and ranges
// of the host, and when the profile began. The layout is described in xplane.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "trace/open.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class XPlanes {
 public:
  /// The builder outlives it.
  XPlanes(const OpenOptions& options, TraceBuilder& out);
  ~XPlanes();
  XPlanes(const XPlanes&) = delete;
  XPlanes& operator=(const XPlanes&) = delete;

  /// An XPlane; `offset` is that of its first byte in the file. Throws WireFault.
  void read(std::string_view message, uint64_t offset);
  /// Once, after the last plane.
  void finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr::trace
