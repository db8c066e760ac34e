// How the Perfetto traces of the runs of a job belong together, for Perfetto's UI and Trace
// Processor (https://perfetto.dev/docs/reference/perfetto-manifest): each is of a machine of its
// own, and the clocks are those that collectives were found to agree on.
#pragma once

#include <span>
#include <string>

#include "tables/source.hpp"

namespace kr::exports {

inline constexpr std::string_view perfetto_manifest_name = "perfetto_manifest.json";

/// `files`: the names of the traces, by run.
std::string perfetto_manifest(const tables::Source& source, std::span<const std::string> files);

}  // namespace kr::exports
