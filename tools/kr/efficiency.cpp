#include "efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "session.hpp"
#include "trace/open.hpp"

namespace kr::cli {
namespace {

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

/// The files of a folder, which are ranks of one job, by name.
std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const bool hidden = at->path().filename().string().starts_with('.');
    std::error_code ignored;
    if (!hidden && at->is_regular_file(ignored)) files.push_back(at->path().string());
  }
  if (error) throw Error(folder, "cannot be read: " + error.message());
  if (files.empty()) throw Error(folder, "is a folder without files", "name the traces of a job");
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> split_at_plus(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('+', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The runs of a job as written; `name`: what it is called.
std::vector<classify::RunSpec> runs_of(const std::string& text, std::string& name) {
  const classify::RunSpec whole = parse_run(text);
  if (is_folder(whole.path)) {
    const std::filesystem::path folder(whole.path);
    name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    std::vector<classify::RunSpec> runs;
    for (std::string& file : files_of(whole.path)) {
      runs.push_back(whole);
      runs.back().path = std::move(file);
    }
    return runs;
  }
  name = trace::trace_stem(whole.path);
  if (exists(whole.path) || text.find('+') == text.npos) return parse_runs({text});
  std::vector<classify::RunSpec> runs = parse_runs(split_at_plus(text));
  name = fmt::format("{}+{}", trace::trace_stem(runs[0].path), runs.size() - 1);
  return runs;
}

}  // namespace

void EfficiencyOptions::add_to(CLI::App& app) {
  app.add_option("--baseline", baselines,
                 "A job that efficiencies are compared with: RUN, RUN+RUN… with one per rank, or a "
                 "folder of them (repeatable; the first is the reference)")
      ->type_name("JOB")
      ->allow_extra_args(false);
  app.add_option("--scaling", scaling,
                 "strong (the problem stays the same) or weak (it grows with the devices) "
                 "(default: strong)")
      ->type_name("KIND")
      ->check(project_check([](const std::string& word) { job::named_scaling(word, "--scaling"); }))
      ->configurable();
  app.add_option("--nccl", nccl,
                 "What communication kernels count as in efficiencies: useful, communication or "
                 "both (default: both)")
      ->type_name("READING")
      ->check(project_check([](const std::string& word) { job::named_readings(word, "--nccl"); }))
      ->configurable();
}

std::vector<JobSource> EfficiencyOptions::jobs() const {
  std::vector<JobSource> jobs;
  for (const std::string& text : baselines) {
    std::string name;
    std::vector<classify::RunSpec> runs = runs_of(text, name);
    const auto taken = [&](const std::string& wanted) {
      return std::any_of(jobs.begin(), jobs.end(),
                         [&](const auto& job) { return job.name == wanted; });
    };
    std::string own = name;
    for (size_t number = 2; taken(own); ++number) own = fmt::format("{} ({})", name, number);
    jobs.push_back({std::move(own), std::move(runs)});
  }
  return jobs;
}

void EfficiencyOptions::join(session::Session& session, const std::vector<JobSource>& jobs,
                             const session::Demand& demand) const {
  session.source().efficiency.scaling = job::named_scaling(scaling, "--scaling");
  session.source().efficiency.readings = job::named_readings(nccl, "--nccl");
  for (const JobSource& job : jobs) session.read_baseline(job, demand);
}

}  // namespace kr::cli
