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

#include "base/check.hpp"
#include "base/own_output.hpp"
#include "trace/cut_plan.hpp"
#include "trace/format.hpp"
#include "trace/readers/block_reader.hpp"
#include "trace/readers/kineto_events.hpp"

namespace kr::trace {
namespace {

struct CutJob {
  TextBlock window;
  bool first = false;
  EventRows rows;
};

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
      : input_(input),
        places_(*input.options().places),
        plan_(plan),
        cut_steps_(std::move(cut_steps)),
        out_(out) {}

  void run() {
    copy_head();
    BlockReader<CutJob> reader(
        worker_threads(input_.options().threads, input_.compression() != Compression::none), [&] {
          auto parser = std::make_shared<EventParser>(input_.options(), places_.levels, &plan_);
          return [parser](CutJob& job) { parser->parse(job.window, job.first, job.rows); };
        });
    size_t next = 0;
    reader.read([&](CutJob& job) { return read_next(job, next); },
                [&](CutJob& job) {
                  write(job.rows.kept);
                  for (EventRows::Arrow& arrow : job.rows.arrows) join(arrow);
                  return !job.rows.broken;
                });
    write(cut_steps_);
    out_("\n");
    input_.skip(places_.end - input_.offset());
    copy_rest();
  }

 private:
  /// With what says that kr wrote it, if the text is an object.
  void copy_head() {
    std::string block;
    bool begun = places_.levels == 1;
    while (input_.offset() < places_.begin) {
      block.resize(
          static_cast<size_t>(std::min<uint64_t>(places_.begin - input_.offset(), block_size)));
      block.resize(input_.read(block.data(), block.size()));
      if (block.empty()) return;
      if (!std::exchange(begun, true) && !block.starts_with(own_cut)) {
        block.replace(0, block.find('{') + 1, std::string(own_cut) + '\n');
      }
      out_(block);
    }
    out_("\n");
  }

  /// The next piece that may have something of the plan. False behind the last.
  bool read_next(CutJob& job, size_t& next) {
    for (; next < places_.pieces.size(); ++next) {
      const SourcePlaces::Piece& piece = places_.pieces[next];
      if (!piece.any_time && !plan_.any_between(piece.begin_ns, piece.end_ns)) continue;
      job.first = next++ == 0;
      input_.skip(piece.offset - input_.offset());
      job.window.offset = piece.offset;
      job.window.assign({});
      job.window.fill(input_, static_cast<size_t>(piece.size));
      return true;
    }
    return false;
  }

  /// The end of the list and what follows it.
  void copy_rest() {
    std::string block(block_size, '\0');
    bool begun = false;
    while (const size_t size = input_.read(block.data(), block.size())) {
      const std::string_view rest = std::string_view(block).substr(0, size);
      if (!std::exchange(begun, true) && rest.front() != ']') {
        begun = false;
        break;
      }
      out_(rest);
    }
    if (!begun) out_(places_.levels == 1 ? "]\n" : "]}\n");  // it was cut off
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
  const SourcePlaces& places_;
  const CutPlan& plan_;
  std::string cut_steps_;
  const ByteSink& out_;
  bool any_ = false;  // some event was written
  std::unordered_map<uint64_t, Ends> arrows_;
};

}  // namespace

void cut_kineto(Input& input, std::span<const Trace* const> reduced, const ByteSink& out) {
  KR_CHECK(input.options().places != nullptr);
  const CutPlan plan(reduced, CutPlan::Names::compared);
  KinetoCut(input, plan, cut_steps_of(reduced), out).run();
}

}  // namespace kr::trace
