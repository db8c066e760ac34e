// Options of the verbs that read several runs.
#include <filesystem>

#include "base/input_files.hpp"
#include "ncu/gpus.hpp"
#include "outputs.hpp"
#include "session.hpp"

namespace kr::cli {

void join_gpu(session::Session& session, const std::string& gpu, const std::string& peaks,
              const std::vector<std::string>& ncu_pages) {
  if (!peaks.empty()) session.join_peaks(peaks);
  session.join_ncu(ncu_pages, gpu.empty() ? nullptr : &ncu::named_gpu(gpu, "--gpu"));
}

void NcuOptions::add_to(CLI::App& app) {
  app.add_option("--ncu", pages,
                 "Pages of ncu (CSV), or a folder of them: measurements of the run's kernels "
                 "(repeatable)")
      ->type_name("PAGES")
      ->allow_extra_args(false)
      ->configurable();
  app.add_option(
         "--gpu", gpu,
         "The GPU whose data sheet has the peaks that pages of ncu lack, and that costs are "
         "compared with if the trace does not name it; `kr list gpus` shows them")
      ->type_name("NAME")
      ->check(project_check([](const std::string& word) { ncu::named_gpu(word, "--gpu"); }))
      ->configurable();
  app.add_option("--peaks", peaks,
                 "Peaks that were measured on this GPU, as tools/peaks writes them: rates are "
                 "compared with them, too, and `--what-if` uses them as roofs")
      ->type_name("FILE")
      ->configurable();
  app.add_flag("--costs", costs,
               "Compute FLOPs and bytes from the shapes of ops, too, for the roofline")
      ->configurable();
}

void NcuOptions::join(session::Session& session) const {
  for (const std::string& path : pages) InputFiles::note(std::filesystem::path(path));
  if (costs) session.add_demand(facts::Set::of<cost::Roofs, analyze::LabelledTrace>());
  join_gpu(session, gpu, peaks, pages);
}

void JobOptions::add_to(CLI::App& app) {
  app.add_option("--job", as_job,
                 "Whether several runs are ranks of one job: `auto` (the default: if their traces, "
                 "names or clocks say so), `yes`, `no`")
      ->type_name("HOW")
      ->check(project_check([](const std::string& word) { analyze::named_as_job(word, "--job"); }))
      ->configurable();
  app.add_option("--clock", clock,
                 "What brings several runs to one clock: `collectives` (the default: where they "
                 "show that the clocks of the traces differ), `utc` (these alone), `none`")
      ->type_name("HOW")
      ->check(
          project_check([](const std::string& word) { job::named_clock_policy(word, "--clock"); }))
      ->configurable();
  app.add_option("--link", link,
                 "What the links between devices can do, in GB/s, to compare collectives with")
      ->type_name("GB/s")
      ->check(positive_number())
      ->configurable();
  app.add_option("--rank-name", rank_names,
                 "What a rank is called beside its number: 0=prefill (repeatable)")
      ->type_name("RANK=NAME")
      ->allow_extra_args(false)
      ->check(
          project_check([](const std::string& word) { job::named_ranks({word}, "--rank-name"); }))
      ->configurable();
}

void JobOptions::apply(session::Session& session) const {
  job::JobOptions options;
  if (!as_job.empty()) options.as_job = analyze::named_as_job(as_job, "--job");
  if (!clock.empty()) options.clock = job::named_clock_policy(clock, "--clock");
  if (link > 0) options.link_bytes_per_s = link * 1e9;
  options.rank_names = job::named_ranks(rank_names, "--rank-name");
  session.compare_ranks_with(options);
}

}  // namespace kr::cli
