#include "export/perfetto_manifest.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/json_writer.hpp"
#include "job/job.hpp"

namespace kr::exports {

std::string perfetto_manifest(const tables::Source& source, std::span<const std::string> files) {
  KR_CHECK(files.size() == source.runs.size());
  constexpr const char* clock = "BOOTTIME";
  const job::Job* const job = source.job();
  std::string out;
  JsonWriter json(out);
  json.open('{');
  json.key("perfetto_manifest").open('{');
  json.key("version").number(1);
  json.key("attributes").open('{');
  json.key("kr.version").text(KR_VERSION);
  json.close('}');
  json.key("trace_time").open('{');
  json.key("clock").text(clock);
  json.key("file").text(utf8_text(files[0]));
  json.close('}');
  json.key("files").open('[');
  for (size_t run = 0; run < files.size(); ++run) {
    const analyze::RunSummary& summary = source.runs[run].summary;
    const std::optional<int64_t> rank = summary.distributed.rank;
    json.open('{', true);
    json.key("path").text(utf8_text(files[run]));
    json.key("machine").open('{');
    json.key("name").text(rank ? fmt::format("rank {}", *rank) : utf8_text(files[run]));
    json.close('}');
    if (run > 0 && job != nullptr && job->clocks.comparable(run, 0)) {
      json.key("clocks").open('{');
      json.key("clock").text(clock);
      json.key("sync_to").open('{');
      json.key("file").text(utf8_text(files[0]));
      json.key("clock").text(clock);
      json.close('}');
      json.key("offset_ns").number(job->clocks.shift_ns(run) - job->clocks.shift_ns(0));
      json.close('}');
    }
    json.close('}');
  }
  json.close(']');
  json.close('}');
  json.close('}');
  out += '\n';
  return out;
}

}  // namespace kr::exports
