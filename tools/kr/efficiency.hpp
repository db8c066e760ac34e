// `--baseline`, `--scaling`, `--nccl`: what efficiencies are compared with, and how they are read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "classify/run_spec.hpp"
#include "session/session.hpp"

namespace kr::cli {

struct EfficiencyOptions {
  std::vector<std::string> baselines;
  std::string scaling = "strong";
  std::string nccl = "both";
  void add_to(CLI::App& app);

  /// By job, its name and its runs. Throws Error.
  using Jobs = std::vector<std::pair<std::string, std::vector<classify::RunSpec>>>;
  Jobs jobs() const;
  /// Reads the jobs, for the same tables as the runs. Throws Error.
  void join(session::Session& session, const Jobs& jobs, const session::Wants& wants) const;
};

}  // namespace kr::cli
