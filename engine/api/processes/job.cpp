#include "processes/job.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/plural.hpp"
#include "processes/message.hpp"
#include "saved/codec.hpp"
#include "saved/merge.hpp"
#include "session/session.hpp"

namespace kr::processes {
namespace {

using Identity = analyze::RunIdentity;

/// What became of a file.
struct FileResult {
  size_t file = 0;
  size_t process = 0;
  std::string failure = {};  // empty: it was saved
  std::vector<Identity> runs = {};
};

/// Which files are read, and in which order.
struct Plan {
  std::vector<size_t> order;
  std::vector<FileResult> failed;  // without being read
};

Plan plan_of(std::span<const classify::RunSpec> files) {
  Plan plan;
  std::map<std::pair<dev_t, ino_t>, size_t> known;
  std::vector<uint64_t> bytes(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    struct stat info {};
    // What is missing fails when it is read, first of all.
    if (::stat(files[i].path.c_str(), &info) != 0) {
      bytes[i] = UINT64_MAX;
    } else if (const auto [at, added] = known.try_emplace({info.st_dev, info.st_ino}, i); !added) {
      plan.failed.push_back(
          {i, 0,
           Error(files[i].path, fmt::format("is the same file as {}", files[at->second].path),
                 "name each file once")
               .what()});
      continue;
    } else {
      bytes[i] = static_cast<uint64_t>(info.st_size);
    }
    plan.order.push_back(i);
  }
  std::stable_sort(plan.order.begin(), plan.order.end(),
                   [&](size_t a, size_t b) { return bytes[a] > bytes[b]; });
  return plan;
}

std::string encode(std::span<const FileResult> results) {
  MessageWriter message;
  for (const FileResult& one : results) {
    message.number(one.file);
    message.text(one.failure);
    message.number(one.runs.size());
    for (const Identity& run : one.runs) {
      message.text(run.operations);
      message.text(run.rules);
    }
  }
  return message.bytes();
}

void decode(std::string_view bytes, size_t process, std::vector<FileResult>& results) {
  for (MessageReader message(bytes); !message.at_end();) {
    FileResult& one = results.emplace_back();
    one.process = process;
    one.file = message.number();
    one.failure = message.text();
    for (uint64_t left = message.number(); left > 0; --left) {
      Identity& run = one.runs.emplace_back();
      run.operations = message.text();
      run.rules = message.text();
    }
  }
}

/// The plan of process 0: the file systems of others may show other sizes.
Plan share_plan(Processes& processes, std::span<const classify::RunSpec> files) {
  Plan plan;
  MessageWriter message;
  if (processes.number() == 0) {
    plan = plan_of(files);
    message.text(encode(plan.failed));
    for (const size_t file : plan.order) message.number(file);
  }
  const std::string bytes = std::move(processes.exchange(message.bytes())[0]);
  plan = {};
  MessageReader reader(bytes);
  decode(reader.text(), 0, plan.failed);
  while (!reader.at_end()) plan.order.push_back(reader.number());
  return plan;
}

std::vector<Identity> identities_of(const std::string& location) {
  saved::Reader file(location);
  std::vector<Identity> runs;
  for (size_t i = 0; i < file.runs(); ++i) {
    const saved::SavedRun run = file.read(i, facts::Set::of<Identity>());
    runs.push_back(run.facts.get<Identity>());
  }
  return runs;
}

/// Fails those that cannot be in one job with the files before them.
void compare_identities(std::span<const classify::RunSpec> files,
                        std::vector<FileResult>& results) {
  std::map<std::string_view, size_t> known;  // operations; file
  const FileResult* first = nullptr;
  const auto refusal = [&](const FileResult& one) -> std::string {
    const std::string& path = files[one.file].path;
    for (const Identity& run : one.runs) {
      if (first != nullptr && run.rules != first->runs[0].rules) {
        return Error(path,
                     fmt::format("was labelled by other rules than {}", files[first->file].path),
                     "save both with the same rules")
            .what();
      }
      if (const auto at = known.find(run.operations); at != known.end()) {
        return Error(path, fmt::format("contains the same run as {}", files[at->second].path),
                     "name each run once")
            .what();
      }
    }
    return {};
  };
  for (FileResult& one : results) {
    if (!one.failure.empty()) continue;
    one.failure = refusal(one);
    if (!one.failure.empty() || one.runs.empty()) continue;
    if (first == nullptr) first = &one;
    for (const Identity& run : one.runs) known.emplace(run.operations, one.file);
  }
}

void save_trace(const match::CompiledRules& rules, const trace::OpenOptions& open,
                const classify::RunSpec& spec, const std::string& location) {
  session::Session session(rules, open);
  session.read(std::span(&spec, 1), session::Demand::of_saving(false));
  session.source().sort_by_rank();
  session::save(session.source(), location, spec.path);
}

std::string place_in(const PartFolder& folder, std::string_view name) {
  return (folder.path() / fmt::format("{}.krun", name)).string();
}

/// What one process makes of its files.
class OwnFiles {
 public:
  OwnFiles(std::span<const classify::RunSpec> files, const SaveFile& save, const PartFolder& folder)
      : files_(files), save_(save), folder_(folder) {}

  /// Saves one file after the other, as they are handed out.
  std::vector<FileResult> save_all(Processes& processes, const std::vector<size_t>& order,
                                   bool keep_going) const {
    std::vector<FileResult> own;
    for (size_t i = processes.next(); i < order.size(); i = processes.next()) {
      own.push_back(save(order[i]));
      if (!own.back().failure.empty() && !keep_going) processes.stop();
    }
    return own;
  }

 private:
  FileResult save(size_t file) const {
    FileResult one;
    one.file = file;
    const std::string saved = place_in(folder_, std::to_string(file));
    try {
      save_(files_[file], saved);
      one.runs = identities_of(saved);
    } catch (const std::bad_alloc&) {
      one.failure = Error(files_[file].path, "there is not enough memory to read it").what();
    } catch (const std::exception& error) {
      one.failure = error.what();
    }
    return one;
  }

  std::span<const classify::RunSpec> files_;
  const SaveFile& save_;
  const PartFolder& folder_;
};

/// The results of all processes, by file; the same in all of them.
std::vector<FileResult> exchange_results(Processes& processes,
                                         std::span<const classify::RunSpec> files,
                                         const std::vector<FileResult>& own,
                                         std::vector<FileResult> results) {
  const std::vector<std::string> all = processes.exchange(encode(own));
  for (size_t process = 0; process < all.size(); ++process) decode(all[process], process, results);
  std::sort(results.begin(), results.end(),
            [](const FileResult& a, const FileResult& b) { return a.file < b.file; });
  compare_identities(files, results);
  return results;
}

/// What a process sends up the tree: saved runs, or why there are none.
struct Branch {
  std::string failure = {};
  std::string bytes = {};  // empty: no runs
};

/// A binomial tree: process n has the children n + 1, n + 2, n + 4, … below its lowest set bit.
/// Appends the files of their runs to `parts`, and returns the distance to the parent.
size_t receive_children(Processes& processes, const PartFolder& folder,
                        std::vector<std::string>& parts, Branch& branch) {
  size_t step = 1;
  for (; step < processes.count() && (processes.number() & step) == 0; step *= 2) {
    const size_t child = processes.number() + step;
    if (child >= processes.count()) continue;
    const std::string bytes = processes.receive(child);
    MessageReader message(bytes);
    const std::string_view failure = message.text();
    const std::string_view runs = message.text();
    if (!failure.empty() && branch.failure.empty()) branch.failure = failure;
    if (runs.empty() || !branch.failure.empty()) continue;
    try {
      parts.push_back(place_in(folder, fmt::format("of_{}", child)));
      write_file(parts.back(), runs);
    } catch (const std::exception& error) {
      branch.failure = error.what();
    }
  }
  return step;
}

void send_to(Processes& processes, size_t parent, const Branch& branch) {
  MessageWriter message;
  message.text(branch.failure);
  message.text(branch.bytes);
  processes.send(parent, message.bytes());
}

}  // namespace

SaveFile file_saver(const match::CompiledRules& rules, trace::OpenOptions open) {
  return [&rules, open = std::move(open)](const classify::RunSpec& spec,
                                          const std::string& location) {
    if (!saved::names_saved_run(spec.path)) return save_trace(rules, open, spec, location);
    if (!spec.engine.empty() || !spec.model.empty() || spec.elapsed_ns) {
      throw Error(spec.path, "has the engine, model and elapsed time that it was saved with",
                  "name only the file");
    }
    if (!open.window.empty()) {
      throw Error(spec.path, "is a saved run, without the operations that a window chooses from",
                  "name the trace");
    }
    saved::merge(std::span(&spec.path, 1), location, spec.path);
  };
}

Job::Job(std::vector<classify::RunSpec> files, SaveFile save)
    : files_(std::move(files)),
      save_(std::move(save)),
      folder_(temporary_folder() / "kr-job", "the folder for temporary files") {
  for (const classify::RunSpec& file : files_) {
    if (file.path != "-") continue;
    throw Error("", "standard input is not the file of one process", "name files");
  }
}

JobResult Job::run(Processes& processes, bool keep_going, const std::string& location,
                   const std::string& path) {
  const Plan plan = share_plan(processes, files_);
  std::vector<FileResult> own;
  if (keep_going || plan.failed.empty()) {
    own = OwnFiles(files_, save_, folder_).save_all(processes, plan.order, keep_going);
  }
  JobResult done;
  std::vector<std::string> parts;
  bool any = false;
  for (const FileResult& one : exchange_results(processes, files_, own, plan.failed)) {
    if (!one.failure.empty()) {
      done.failures.push_back({one.file, one.failure});
      continue;
    }
    any = true;
    if (one.process == processes.number()) {
      parts.push_back(place_in(folder_, std::to_string(one.file)));
    }
  }
  if (!any || (!keep_going && !done.failures.empty())) return done;

  Branch branch;
  const size_t to_parent = receive_children(processes, folder_, parts, branch);
  const bool root = processes.number() == 0;
  if (branch.failure.empty() && !parts.empty()) {
    try {
      const std::string merged = root ? location : place_in(folder_, "merged");
      done.runs = saved::merge(parts, merged, root ? path : merged);
      if (!root) branch.bytes = read_file(merged);
    } catch (const std::exception& error) {
      branch.failure = error.what();
    }
  }
  if (!root) {
    send_to(processes, processes.number() - to_parent, branch);
    return done;
  }
  if (!branch.failure.empty()) throw Error("", branch.failure);
  done.written = true;
  return done;
}

}  // namespace kr::processes
