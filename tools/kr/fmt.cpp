// kr fmt: rules files in the one canonical layout.
#include <filesystem>
#include <memory>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/unified_diff.hpp"
#include "diag/render.hpp"
#include "layout/layout.hpp"
#include "session.hpp"
#include "source/text_file.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

namespace fs = std::filesystem;

struct FmtOptions {
  std::vector<std::string> paths;
  bool check = false;
  bool diff = false;
};

constexpr const char* standard_input = "-";

/// One run over the files: a file that cannot be done does not keep the others from being done.
class Formatter {
 public:
  Formatter(const FmtOptions& options, Streams& streams) : options_(options), streams_(streams) {}

  Exit run() {
    for (const std::string& path : options_.paths) {
      guarded([&] { take(path); });
    }
    if (options_.check && changed_ > 0 && !failed_) {
      streams_.note(fmt::format("{} of {} files would change; `kr fmt` without --check changes {}",
                                changed_, files_, changed_ == 1 ? "it" : "them"));
    }
    if (failed_) return Exit::failed;
    return changed_ > 0 && (options_.check || options_.diff) ? Exit::findings : Exit::done;
  }

 private:
  template <class Action>
  void guarded(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      streams_.error(error.what());
      failed_ = true;
    }
  }
  void take(const std::string& path) {
    if (path == standard_input) {
      return file("<stdin>", source::read_standard_input(), true);
    }
    std::error_code error;
    const bool folder = fs::is_directory(path, error);
    for (const std::string& name :
         folder ? rules_in_folder(path) : std::vector<std::string>{path}) {
      if (!seen_.insert(fs::weakly_canonical(name, error).string()).second) continue;
      guarded([&] { file(name, source::read_text_file(name, source::Pipes::refuse), false); });
    }
  }
  void file(const std::string& name, std::string text, bool piped) {
    ++files_;
    source::SourceMap sources;
    const source::FileId id = sources.add(name, std::move(text));
    const layout::Layout layout = layout::lay_out(sources, id);
    const bool changes = layout.text != sources.text(id);
    changed_ += changes ? 1 : 0;
    if (options_.diff) {
      streams_.out(unified_diff(name, sources.text(id), name, layout.text));
    } else if (options_.check) {
      if (changes) streams_.out(name + "\n");
    } else if (piped) {
      streams_.out(layout.text);
    } else if (changes) {
      replace_file(name, layout.text);
      streams_.note("formatted " + name);
    }
    if (layout.sink.all().empty()) return;
    failed_ = true;
    streams_.raw_error(
        diag::render_human(sources, layout.sink.sorted(), {.color = streams_.color_error()}));
    streams_.error(fmt::format("{}: code with errors was not formatted", name));
  }

  const FmtOptions& options_;
  Streams& streams_;
  std::set<std::string> seen_;
  size_t files_ = 0;
  size_t changed_ = 0;
  bool failed_ = false;
};

Action setup_fmt(CLI::App& app) {
  auto options = std::make_shared<FmtOptions>();
  app.add_option("PATH", options->paths,
                 "Rules files or folders; `-`: standard input to standard output")
      ->required();
  app.add_flag("--check", options->check, "Change nothing; list the files that would change");
  app.add_flag("--diff", options->diff, "Change nothing; show what would change");
  return [options](Streams& streams) { return Formatter(*options, streams).run(); };
}

}  // namespace

const Verb fmt_verb{"fmt", "format rules files", "kr fmt rulesets stdlib", setup_fmt, "Rules"};

}  // namespace kr::cli
