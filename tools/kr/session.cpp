#include "session.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "analyze/windowed.hpp"
#include "base/error.hpp"
#include "base/input_files.hpp"
#include "base/join.hpp"
#include "base/nearest.hpp"
#include "base/plural.hpp"
#include "diag/render.hpp"
#include "match/cache.hpp"
#include "outputs.hpp"
#include "sema/load.hpp"
#include "source/library.hpp"
#include "source/text_file.hpp"

namespace kr::cli {

void RulesOptions::add_to(CLI::App& app) {
  app.add_option("--rules", names,
                 "A rules file, a .krdb, or the name of a shipped ruleset (repeatable)")
      ->type_name("FILE|NAME")
      ->allow_extra_args(false)
      ->configurable();
}

namespace {

/// Prints what is wrong in rules, and throws where they are not to be used.
void stop_at_errors(const match::CompiledRules& rules, const std::vector<std::string>& names,
                    const diag::Sink& sink, Streams& streams) {
  if (!sink.has_errors()) return;
  streams.raw_error(
      diag::render_human(rules.sources(), sink.sorted(), {.color = streams.color_error()}));
  throw Error(names.size() == 1 ? names.front() : "",
              fmt::format("the rules have {}", plural(sink.errors(), "error")),
              "fix them and run again");
}

}  // namespace

const source::Library& own_library() {
  static const source::Library library = [] {
    source::Install install;
    std::error_code error;
    struct stat program {};
    const std::filesystem::path path = std::filesystem::canonical("/proc/self/exe", error);
    if (!error && ::stat(path.c_str(), &program) == 0) {
      install.folder = (path.parent_path() / ".." / "share" / "kr").lexically_normal();
      install.owner = program.st_uid;
    }
    return source::Library::of_process(std::move(install));
  }();
  return library;
}

std::optional<match::Database::Cache> cache_of_process(Streams& streams) {
  auto cache = match::Database::Cache::of_process(own_library().install());
  static std::once_flag said;
  std::call_once(said, [&] {
    if (const auto why = cache ? match::CacheFile::refusal(cache->folder) : std::nullopt) {
      streams.warning(
          fmt::format("{}: the cache is not used: it {}", cache->folder.string(), *why));
    }
  });
  return cache;
}

match::CompiledRules compile_rules(const RulesOptions& options, Streams& streams) {
  diag::Sink sink;
  match::CompiledRules compiled =
      kr::match::compile_rules(options.names, own_library(), cache_of_process(streams), sink);
  stop_at_errors(compiled, options.names, sink, streams);
  return compiled;
}

match::CompiledRules load_named(const std::vector<std::string>& names, Streams& streams) {
  diag::Sink sink;
  const source::Library& library = own_library();
  match::CompiledRules loaded;
  if (names.size() == 1 && match::names_krdb(names.front(), library)) {
    loaded = kr::match::compile_rules(names, library, cache_of_process(streams), sink);
  } else {
    loaded.rules = sema::load_rules(names, library, sink);
    loaded.named = true;
  }
  stop_at_errors(loaded, names, sink, streams);
  return loaded;
}

std::vector<std::string> names_of_file(const std::string& path) {
  const std::string text = path == "-" ? source::read_standard_input()
                                       : source::read_text_file(path, source::Pipes::read);
  std::vector<std::string> names;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string name = text.substr(at, end - at);
    if (name.ends_with('\r')) name.pop_back();
    if (!name.empty()) names.push_back(std::move(name));
    at = end + 1;
  }
  return names;
}

namespace {

void add_window(CLI::App& app, trace::Window& window, PhaseOption phase) {
  const auto add = [&](const char* name, const char* type, const char* doc,
                       void (trace::Window::*set)(std::string_view)) {
    app.add_option_function<std::string>(
           name, [&window, set](const std::string& text) { (window.*set)(text); }, doc)
        ->type_name(type);
  };
  add("--steps", "N..M", "Only these steps, by step_id: 5..20, 5.., ..20, 7",
      &trace::Window::set_steps);
  if (phase == PhaseOption::of_window) {
    app.add_option("--phase", window.phase, "Only steps of this phase, such as prefill or decode")
        ->type_name("PHASE");
  }
  add("--from", "TIME", "Only operations that start at this time after the first, or later: 1.2s",
      &trace::Window::set_from);
  add("--to", "TIME", "Only operations that start before this time after the first: 350ms",
      &trace::Window::set_to);
  app.add_option("--range", window.range,
                 "Only operations launched within annotations or ranges with this text")
      ->type_name("TEXT");
  app.add_flag("--skip-warmup", window.skip_warmup,
               "Without the first steps that take more than twice the median of their phase");
  app.add_flag("--steady", window.steady,
               "Only the longest stretch of steps whose kernels and batch repeat");
}

}  // namespace

void TraceOptions::add_to(CLI::App& app, PhaseOption phase) {
  app.add_option("--nsys-cmd,--nsys_cmd", open.nsys_command,
                 "The nsys program that exports .nsys-rep files")
      ->type_name("COMMAND");
  app.add_option("--nsys-timeout", open.nsys_timeout_seconds,
                 "Stop nsys after this many seconds (0: never)")
      ->type_name("SECONDS")
      ->check(whole_number())
      ->configurable();
  app.add_flag("--allow-truncated", open.allow_truncated,
               "Read a truncated file up to the point where it ends")
      ->configurable();
  app.add_flag("--allow-inexact", open.allow_inexact,
               "Accept times in seconds, which nsys rounds to 100 us")
      ->configurable();
  app.add_flag("--strict", open.strict,
               "Refuse a trace with a record whose time cannot be right, instead of leaving it out "
               "of time")
      ->configurable();
  app.add_option("--rank", open.rank, "Read only this rank of a merged trace: TP01-DP00, or 3")
      ->type_name("RANK");
  app.add_option("--reference", references,
                 "A trace that shows in which modules the kernels of CUDA and HIP graphs are "
                 "launched: of the capture, or of a run without graphs (repeatable)")
      ->type_name("TRACE")
      ->allow_extra_args(false)
      ->configurable();
  app.add_option("--annotations", open.annotations,
                 "What PyTorch wrote beside its trace about kernels of CUDA graphs: a file "
                 "kernel_annotations_rank0_….json, or its folder; found by itself in the folder "
                 "above the trace's")
      ->type_name("PATH")
      ->configurable();
  add_window(app, open.window, phase);
}

classify::RunSpec parse_run(const std::string& written) {
  // See `arguments` in main.cpp.
  const std::string text = written.starts_with("- ,") ? "-" + written.substr(2) : written;
  return classify::parse_run_spec(text, [](const std::string& path) {
    std::error_code error;
    return path == "-" || std::filesystem::exists(path, error);
  });
}

std::vector<classify::RunSpec> parse_runs(const std::vector<std::string>& texts) {
  std::vector<classify::RunSpec> specs;
  bool input_taken = false;
  for (const std::string& text : texts) {
    const classify::RunSpec& spec = specs.emplace_back(parse_run(text));
    // Before the first is read: reading one may write beside it.
    if (spec.path != "-") InputFiles::note(std::filesystem::path(spec.path));
    if (spec.path == "-" && std::exchange(input_taken, true)) {
      throw Error("", "standard input can be read only once", "name a file for the other run");
    }
  }
  return specs;
}

std::vector<classify::RunSpec> parse_runs_and_folders(const std::vector<std::string>& texts) {
  std::vector<classify::RunSpec> specs;
  for (classify::RunSpec& spec : parse_runs(texts)) {
    std::vector<std::string> files;
    std::error_code ignored;
    if (std::filesystem::is_directory(spec.path, ignored)) {
      files = trace::traces_in_folder(spec.path);
    }
    if (files.empty()) files.push_back(spec.path);
    for (std::string& file : files) {
      if (file != "-") InputFiles::note(std::filesystem::path(file));
      specs.emplace_back(spec).path = std::move(file);
    }
  }
  return specs;
}

session::Session open_session(const match::CompiledRules& rules, const TraceOptions& options,
                              Streams& streams) {
  for (const std::string& path : options.references) {
    InputFiles::note(std::filesystem::path(path));
  }
  // About ten calls per second: a file that is read within one shows nothing.
  const auto show = [&streams, path = std::string(),
                     calls = 0](const ReadProgress& progress) mutable {
    const auto& [run, done, total] = progress;
    if (std::exchange(path, run.path) != run.path) calls = 0;
    if (++calls < 10) return;
    const std::string far = total > 0 ? fmt::format("{:3} %", std::min(done, total) * 100 / total)
                                      : fmt::format("{} MB", done / 1000000);
    streams.progress_line(fmt::format("reading {}: {}", run.path, far));
  };
  return session::Session(
      rules, options.open,
      streams.shows_progress() ? session::ProgressCall(show) : session::ProgressCall(),
      options.references);
}

void read_runs(session::Session& session, const std::vector<classify::RunSpec>& specs,
               const session::Demand& demand, Streams& streams, Infos infos,
               const session::Session::Visit& visit) {
  session.read(specs, demand, visit);
  show_warnings(session, streams, infos);
}

void show_warnings(const session::Session& session, Streams& streams, Infos infos) {
  // What is the same for several runs is one line.
  const auto& warnings = session.warnings();
  for (size_t i = 0; i < warnings.size(); ++i) {
    const auto& [path, warning] = warnings[i];
    const auto is_same = [&warning = warning](const std::pair<std::string, Warning>& other) {
      return other.second.code == warning.code && other.second.text == warning.text;
    };
    const auto at = warnings.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(warnings.begin(), at, is_same)) continue;
    const bool info = warning.severity == "info";
    const bool always = warning.code == analyze::window_note;
    if (info && infos == Infos::hidden && !always) continue;
    const auto count = static_cast<size_t>(std::count_if(at, warnings.end(), is_same));
    const std::string text =
        fmt::format("{}: {}", count > 1 ? plural(count, "run") : path, warning.text);
    info ? streams.note(text) : streams.warning(text);
  }
}

void read_runs(session::Session& session, const std::vector<classify::RunSpec>& specs,
               Outputs& outputs, const std::string& by, Streams& streams, Infos infos,
               const session::Session::Visit& also) {
  const auto visit = [&](const analyze::LabelledTrace& run, const analyze::RunSummary& summary,
                         size_t index) {
    outputs.add_run(*session.source().rules, run, summary, index, by, streams);
    if (also) also(run, summary, index);
  };
  session.look_for_order(by, outputs.tables_named());
  read_runs(session, specs, outputs.demand(), streams, infos, visit);
}

std::vector<std::string> parse_choices(const std::string& text, std::string_view option,
                                       const std::vector<std::string>& choices,
                                       const std::vector<std::string>& also) {
  std::vector<std::string> known = choices;
  known.insert(known.end(), also.begin(), also.end());
  std::vector<std::string> chosen;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, comma - begin);
    begin = comma + 1;
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      const auto near = nearest(word, known);
      throw Error("", fmt::format("`{}` is not a valid value for {}", word, option),
                  near ? fmt::format("did you mean `{}`?", *near)
                       : fmt::format("choose from {}", join(choices, ", ")));
    }
    if (std::find(chosen.begin(), chosen.end(), word) == chosen.end()) chosen.push_back(word);
  }
  return chosen;
}

std::string parse_choice(const std::string& text, std::string_view option,
                         const std::vector<std::string>& choices) {
  const std::vector<std::string> chosen = parse_choices(text, option, choices);
  if (chosen.size() > 1) {
    throw Error("", fmt::format("`{}` is more than one value for {}", text, option),
                fmt::format("choose one of {}", join(choices, ", ")));
  }
  return chosen[0];
}

CLI::Validator whole_number(uint64_t least) {
  const auto check = [least](const std::string& text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    const bool zero = text.find_first_not_of('0') == text.npos;
    if (digits && !(least > 0 && zero)) return std::string();
    return fmt::format("`{}` is not a whole number of at least {}", text, least);
  };
  return {check, ""};
}

CLI::Validator positive_number() {
  const auto check = [](const std::string& text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    const bool whole = error == std::errc() && stop == end;
    if (whole && std::isfinite(number) && number > 0) return std::string();
    return fmt::format("`{}` is not a number above 0", text);
  };
  return {check, ""};
}

CLI::Validator project_check(std::function<void(const std::string& value)> check) {
  const auto run = [check = std::move(check)](const std::string& value) {
    check(value);
    return std::string();
  };
  return CLI::Validator(run, "", project_check_name).active(false);
}

}  // namespace kr::cli
