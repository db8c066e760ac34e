// A part of a Kineto trace: the text again, as it is, without the events that do not belong to it.
#include "trace/readers/kineto_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/cut_plan.hpp"
#include "trace/format.hpp"
#include "trace/readers/block_reader.hpp"
#include "trace/readers/event_windows.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/kineto_events.hpp"

namespace kr::trace {
namespace {

struct CutJob {
  TextBlock window;
  bool first = false;
  EventRows rows;
};

/// Where the list of events begins, behind its bracket, and how deep that is.
struct ListPlace {
  uint64_t offset = 0;
  size_t levels = 0;
};

ListPlace find_list(const std::string& path, const OpenOptions& options) {
  Input input(path, options);
  JsonPull json(input);
  if (json.value() == JsonKind::object) {
    json.enter();
    while (json.next() && json.key() != "traceEvents") json.pass();
    json.value();
  }
  json.enter();
  return {json.rest_offset(), json.depth()};
}

std::string cut_steps_of(std::span<const Trace* const> reduced) {
  std::string events;
  for (const Trace* trace : reduced) {
    if (trace->host == nullptr) continue;
    for (const int64_t start_ns : trace->host->cut_steps) {
      if (!events.empty()) events += ",\n";
      events += fmt::format(R"({{"ph":"M","name":"{}","pid":0,"tid":0,"args":{{"name":"{}"}}}})",
                            cut_step_name, start_ns);
    }
  }
  return events;
}

class KinetoCut {
 public:
  /// `cut_steps`: the events that say which steps were cut.
  KinetoCut(Input& input, const CutPlan& plan, std::string cut_steps, const ByteSink& out)
      : input_(input), plan_(plan), cut_steps_(std::move(cut_steps)), out_(out) {}

  void run() {
    const ListPlace list = find_list(input_.path(), input_.options());
    copy_head(list.offset);
    EventWindows windows(input_, {}, list.offset);
    BlockReader<CutJob> reader(
        worker_threads(input_.options().threads, input_.compression() != Compression::none), [&] {
          auto parser = std::make_shared<EventParser>(input_.options(), list.levels, &plan_);
          return [parser](CutJob& job) { parser->parse(job.window, job.first, job.rows); };
        });
    bool first = true;
    reader.read(
        [&](CutJob& job) {
          job.first = std::exchange(first, false);
          return windows.next(job.window);
        },
        [&](CutJob& job) {
          write(job.rows.kept);
          for (EventRows::Arrow& arrow : job.rows.arrows) join(arrow);
          return !job.rows.broken;
        });
    write(cut_steps_);
    out_("\n");
    if (windows.rest().starts_with(']')) {
      out_(windows.rest());
      copy_rest();
    } else {
      // It was cut off.
      out_(list.levels == 1 ? "]\n" : "]}\n");
    }
  }

 private:
  void copy_head(uint64_t bytes) {
    std::string block;
    while (bytes > 0) {
      block.resize(static_cast<size_t>(std::min<uint64_t>(bytes, block_size)));
      block.resize(input_.read(block.data(), block.size()));
      if (block.empty()) return;
      bytes -= block.size();
      out_(block);
    }
    out_("\n");
  }

  void copy_rest() {
    std::string block(block_size, '\0');
    while (const size_t size = input_.read(block.data(), block.size())) {
      out_(std::string_view(block).substr(0, size));
    }
  }

  void write(std::string_view events) {
    if (events.empty()) return;
    if (std::exchange(any_, true)) out_(",\n");
    out_(events);
  }

  /// Writes an arrow when both ends are there.
  void join(EventRows::Arrow& arrow) {
    Ends& ends = arrows_[arrow.key];
    ends.begun = ends.begun || arrow.begins;
    ends.ended = ends.ended || !arrow.begins;
    ends.texts.push_back(std::move(arrow.text));
    if (!ends.begun || !ends.ended) return;
    for (const std::string& text : ends.texts) write(text);
    ends.texts.clear();
  }

  struct Ends {
    bool begun = false;
    bool ended = false;
    std::vector<std::string> texts;
  };

  static constexpr size_t block_size = size_t{1} << 20;
  Input& input_;
  const CutPlan& plan_;
  std::string cut_steps_;
  const ByteSink& out_;
  bool any_ = false;  // some event was written
  std::unordered_map<uint64_t, Ends> arrows_;
};

}  // namespace

void cut_kineto(Input& input, std::span<const Trace* const> reduced, const ByteSink& out) {
  const CutPlan plan(reduced, CutPlan::Names::compared);
  KinetoCut(input, plan, cut_steps_of(reduced), out).run();
}

}  // namespace kr::trace
