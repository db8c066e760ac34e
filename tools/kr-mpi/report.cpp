// kr-mpi report: kr report of a job whose files are read by several processes.
#include "report.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "analyze/run.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/part_file.hpp"
#include "base/plural.hpp"
#include "mpi_processes.hpp"
#include "mpi_report.hpp"
#include "processes/job.hpp"
#include "render/renderers.hpp"
#include "saved/codec.hpp"

namespace kr::mpi {
namespace {

using cli::Exit;
using cli::Streams;

struct Options : cli::ReportOptions {
  bool keep_going = false;
};

/// What the merged runs are called where the user does not save them.
constexpr std::string_view unsaved_name = "job.krun";

/// Why files are missing; process 0 alone says so.
struct FilesFailed {};

/// This process among the others. They wait for it until `over`.
class Member {
 public:
  Member(const Options& options, MpiProcesses& processes, Streams& streams)
      : options_(options), processes_(processes), streams_(streams) {}

  bool over() const noexcept { return over_; }

  Exit run() {
    std::optional<std::string> refusal;
    try {
      return processes_.number() == 0 ? lead() : follow();
    } catch (const std::exception& error) {
      if (agreed_) throw;
      refusal = error.what();
    }
    // The other processes learn of it, and process 0 prints it.
    const auto first = processes::agree(processes_, refusal);
    over_ = true;
    if (processes_.number() == 0) throw Error("", text_of(*first));
    return Exit::done;
  }

 private:
  std::string text_of(const processes::Refusal& refusal) const {
    return refusal.process == 0 ? refusal.why
                                : fmt::format("{} (process {})", refusal.why, refusal.process);
  }

  /// Whether all processes can begin. Throws Error in process 0 where one cannot.
  bool agree() {
    agreed_ = true;
    const auto refusal = processes::agree(processes_, std::nullopt);
    if (!refusal) return true;
    over_ = true;
    if (processes_.number() == 0) throw Error("", text_of(*refusal));
    return false;
  }

  processes::Job make_job(const std::vector<classify::RunSpec>& files,
                          const match::CompiledRules& rules) const {
    return {files, processes::file_saver(rules, options_.trace.open)};
  }

  Exit follow() {
    const std::vector<classify::RunSpec> files = options_.specs();
    const match::CompiledRules rules = cli::compile_rules(options_.rules, streams_);
    processes::Job job = make_job(files, rules);
    if (!agree()) return Exit::done;
    job.run(processes_, options_.keep_going, {}, {});
    over_ = true;
    return Exit::done;
  }

  Exit lead() {
    const std::vector<classify::RunSpec> files = options_.specs();
    std::optional<PendingFile> saved;
    std::optional<PartFolder> folder;
    std::string path;  // of the merged runs
    if (options_.save.empty()) {
      folder.emplace(temporary_folder() / "kr-job", "the folder for temporary files");
      path = (folder->path() / unsaved_name).string();
    } else {
      path = options_.save;
      saved::check_name(path);
      saved.emplace(path);
      if (!options_.outputs.force) render::check_own(*saved);
    }
    processes::JobResult result;
    const auto read = [&](const match::CompiledRules& rules, session::Session& session,
                          const session::Demand& demand) {
      if (!demand.beyond_saved().empty()) {
        throw Error("", "this output needs the operations of all runs at once",
                    "use `kr report` or `kr analyze`; kr-mpi makes what a saved run has");
      }
      processes::Job job = make_job(files, rules);
      agree();
      result =
          job.run(processes_, options_.keep_going, saved ? saved->aside().string() : path, path);
      over_ = true;
      if (!result.written) throw FilesFailed{};
      if (saved) {
        saved->commit();
        streams_.note(fmt::format("wrote {}: {}", path, plural(result.runs, "run")));
      } else {
        session.call_saved(path, std::string(unsaved_name));
      }
    };
    cli::ReportOptions report = options_;
    report.save.clear();
    try {
      cli::write_report(report, {{.path = path}}, streams_, read);
    } catch (const FilesFailed&) {
      return failed(result, files.size());
    }
    return result.failures.empty() ? Exit::done : failed(result, files.size());
  }

  Exit failed(const processes::JobResult& result, size_t files) {
    for (const processes::FileFailure& one : result.failures) streams_.error(one.what);
    if (result.written) {
      streams_.error(
          fmt::format("the results lack {} of {}", result.failures.size(), plural(files, "file")));
      return Exit::findings;
    }
    streams_.error(options_.keep_going
                       ? "no file could be read: nothing was written"
                       : "nothing was written; --keep-going reports the other files");
    return Exit::failed;
  }

  const Options& options_;
  MpiProcesses& processes_;
  Streams& streams_;
  bool agreed_ = false;
  bool over_ = false;
};

Exit report(const Options& options, Streams& streams) {
  MpiProcesses processes;
  if (processes.number() > 0) streams.quiet = true;
  note_process(processes.number(), processes.count());
  // mpirun gives each process a terminal of its own, wherever its own output goes.
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr && streams.color == cli::When::automatic) {
    streams.color = cli::When::never;
  }
  Member member(options, processes, streams);
  std::string what;
  try {
    return member.run();
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& error) {
    what = error.what();
  }
  // Said before the others are ended, which may end this process.
  streams.error(what);
  if (!member.over()) processes.abort(static_cast<int>(Exit::failed));
  return Exit::failed;
}

void add_options(CLI::App& app, Options& options) {
  cli::add_report_options(app, options);
  app.add_flag("--keep-going", options.keep_going,
               "Report what can be read; files that cannot be are named at the end, and the exit "
               "status is 1");
}

}  // namespace

const cli::Verb report_verb{"report", "read the traces of a job with several processes, and report",
                            "srun --mpi=pmix kr-mpi report rank*.json.gz --save job.krun -o "
                            "job.html",
                            cli::setup<Options, add_options, report>, "Traces"};

}  // namespace kr::mpi
