// kr report, for programs that read the runs in another way.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "efficiency.hpp"
#include "outputs.hpp"
#include "roofline.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {

/// What is shown on a terminal.
enum class Sections : uint8_t {
  answer,  // about one screen
  all,     // each table of the view `analyze` below it
};

struct ReportOptions : RunVerbOptions {
  Sections sections = Sections::answer;
  std::vector<std::string> runs;
  std::vector<std::string> more_runs;  // of --in_file
  std::string title;
  std::string save;
  std::string by = "substage";
  std::string measure = "busy";
  NcuOptions ncu;
  JobOptions job;
  EfficiencyOptions efficiency;
  RooflineOptions roofline;
  std::vector<std::string> changes;  // of --what-if
  std::string nccl_inspector;

  /// The runs that were named. Throws Error if there are none.
  std::vector<classify::RunSpec> specs() const;
};

OutputRules report_outputs(Sections sections);
void add_report_options(CLI::App& app, ReportOptions& options);

/// Called when all outputs are open, before the runs are read, with what is to be known of them.
using BeforeReading =
    std::function<void(const match::CompiledRules&, session::Session&, const session::Demand&)>;

/// Reads these runs instead of those of the options, and writes all that the options request.
/// Throws Error.
Exit write_report(const ReportOptions& options, const std::vector<classify::RunSpec>& specs,
                  Streams& streams, const BeforeReading& before = {});

}  // namespace kr::cli
