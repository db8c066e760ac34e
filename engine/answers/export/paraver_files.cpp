#include "export/paraver_files.hpp"

#include <map>
#include <optional>
#include <string_view>

#include "base/check.hpp"
#include "base/gzip.hpp"
#include "job/job.hpp"
#include "render/renderers.hpp"

namespace kr::exports {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view packed_ending = ".gz";
constexpr std::string_view trace_ending = ".prv";

/// Without `.prv` and `.prv.gz`.
std::string stem_of(const fs::path& path) {
  std::string stem = path.string();
  for (const std::string_view ending : {packed_ending, trace_ending}) {
    if (stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
  }
  return stem;
}

fs::path trace_of(const fs::path& path) {
  const bool packed = path.extension() == packed_ending;
  return fs::path(stem_of(path) + std::string(trace_ending) +
                  std::string(packed ? packed_ending : ""));
}

/// What collectives say of the clocks of ranks, by the source of the run.
std::map<std::string, int64_t> shifts_of(const tables::Source& source) {
  std::map<std::string, int64_t> shifts_ns;
  const job::Job* const job = source.runs.size() > 1 ? source.job() : nullptr;
  for (size_t run = 0; job != nullptr && run < source.runs.size(); ++run) {
    shifts_ns[source.runs[run].summary.source] = job->clocks.ranks[run].applied_ns;
  }
  return shifts_ns;
}

}  // namespace

ParaverFiles::ParaverFiles(const fs::path& path, bool force)
    : prv_(trace_of(path)),
      pcf_(fs::path(stem_of(path) + ".pcf")),
      row_(fs::path(stem_of(path) + ".row")) {
  if (force) return;
  for (const PendingFile* file : files()) render::check_own(*file);
}

ParaverFiles::~ParaverFiles() = default;

std::vector<PendingFile*> ParaverFiles::files() {
  return {&prv_, &pcf_, &row_};
}

void ParaverFiles::add(const match::CompiledRules& rules, const analyze::LabelledTrace& run) {
  if (!trace_) trace_ = std::make_unique<ParaverTrace>(rules, prv_.path().string());
  trace_->add(run);
}

std::string ParaverFiles::warning() const {
  if (trace_ == nullptr || !trace_->has_unknown_clocks()) return {};
  return "the clocks of the runs are not known: in the Paraver trace all begin at the same time";
}

void ParaverFiles::write(const tables::Source& source) {
  KR_CHECK(trace_ != nullptr);
  const auto to = [](PendingFile& file) {
    return [&file](std::string_view bytes) { file.write(bytes); };
  };
  ParaverTrace::Files files{to(prv_), to(pcf_), to(row_)};
  std::optional<GzipWriter> gzip;
  if (prv_.path().extension() == packed_ending) {
    gzip.emplace(files.prv);
    files.prv = [&gzip](std::string_view bytes) { gzip->write(bytes); };
  }
  trace_->write(files, shifts_of(source));
  if (gzip) gzip->finish();
}

}  // namespace kr::exports
