#include "align/replays.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "base/interned.hpp"
#include "trace/launched.hpp"

namespace kr::align {
namespace {

using trace::HostRange;

using Lists = Interned<std::vector<uint32_t>, NumbersHash>;

/// The ranges and creations that say of operations what references know.
class Placer {
 public:
  Placer(trace::HostTrace& host, const References& references)
      : host_(host), references_(references) {
    for (uint32_t i = 0; i < host.range_names.size(); ++i)
      names_.try_emplace(host.range_names[i], i);
  }

  /// A call of an op around a kernel, in References::op_calls, whose shapes are surely the
  /// kernel's; and how many calls, from it on outwards, are.
  struct SureOp {
    uint32_t op = References::no_op;
    uint32_t levels = 0;
  };
  uint32_t creation(const Placed& placed, const SureOp& op) {
    const Item& item = references_.sequences[placed.sequence].items[placed.item];
    const Origin& origin = references_.origins[placed.sequence];
    trace::AlignedNode node{static_cast<trace::Alignment>(placed.how), {}};
    if (placed.how > Agreement::within) node.ops = references_.ops(item.chain);
    const bool known = placed.how != Agreement::abstain;
    const bool within = placed.how == Agreement::within;
    const Key key{origin.file, origin.thread, known && !within ? all_levels : placed.levels,
                  placed.unnumbered, within};
    const uint32_t thread = this->thread(key);
    if (known) add_ranges(placed, item.call, thread);
    const auto next = static_cast<uint32_t>(host_.aligned.size() + 1);
    const auto [at, added] = nodes_.try_emplace(node, next);
    if (added) host_.aligned.push_back(node);
    const auto number = static_cast<uint32_t>(host_.creations.size());
    host_.creations.push_back({origin.times[placed.item], thread, at->second, captured(op)});
    return number;
  }

 private:
  static constexpr uint32_t all_levels = UINT32_MAX;
  /// What is known of modules on a thread: each has ranges of its own.
  struct Key {
    uint32_t file;
    std::string thread;
    uint32_t levels;
    uint64_t unnumbered;
    bool within;
    auto operator<=>(const Key&) const = default;
  };

  /// As NodeCreation::captured.
  uint32_t captured(const SureOp& sure) {
    if (sure.levels == 0) return 0;
    if (!host_.ops) host_.ops = std::make_unique<trace::HostOps>();
    trace::HostOps& to = *host_.ops;
    op_of_.resize(references_.ops_of_calls.size(), References::no_op);
    uint32_t& known = captured_[{sure.op, sure.levels}];
    if (known != 0) return known;
    const References::OpCall call = references_.op_calls[sure.op];
    const uint32_t outer = captured({call.outer, sure.levels - 1});
    if (op_of_[call.op] == References::no_op) {
      op_of_[call.op] = static_cast<uint32_t>(to.ops.size());
      to.ops.push_back(references_.ops_of_calls[call.op]);
    }
    to.captured.push_back({op_of_[call.op], outer == 0 ? trace::CapturedCall::none : outer - 1});
    known = static_cast<uint32_t>(to.captured.size());
    return known;
  }

  uint32_t thread(const Key& key) {
    const auto [at, added] = threads_.try_emplace(key, host_.threads.size());
    if (added) {
      host_.threads.push_back({"reference " + references_.files[key.file],
                               key.thread + " " + std::to_string(threads_.size()), false, true});
    }
    return at->second;
  }

  void add_ranges(const Placed& placed, uint32_t call, uint32_t thread) {
    const Calls& calls = references_.calls;
    for (; call != Calls::none; call = calls[call].outer) {
      const uint32_t level = calls[call].levels - 1;
      if (level >= placed.levels) continue;
      if (!ranges_.emplace(thread, call).second) return;  // so are those that enclose it
      const bool numbered = level >= 64 || (placed.unnumbered >> level & 1) == 0;
      const std::string text(calls.text(numbered ? calls[call].name : calls[call].kind));
      const auto next = static_cast<uint32_t>(host_.range_names.size());
      const auto [name, added] = names_.try_emplace(text, next);
      if (added) {
        host_.range_names.push_back(text);
        if (!host_.range_texts.empty()) host_.range_texts.emplace_back();
      }
      const References::Time& time = references_.call_times[call];
      host_.ranges.push_back({time.start_ns, time.end_ns, name->second, thread, HostRange::none,
                              HostRange::Kind::module});
    }
  }

  trace::HostTrace& host_;
  const References& references_;
  std::map<std::string, uint32_t, std::less<>> names_;
  std::map<Key, uint32_t> threads_;
  std::set<std::pair<uint32_t, uint32_t>> ranges_;  // thread and call
  std::map<trace::AlignedNode, uint32_t> nodes_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> captured_;  // by SureOp
  std::vector<uint32_t> op_of_;                                 // by op of the references
};

class Replays {
 public:
  Replays(trace::Trace& trace, References& references)
      : trace_(trace), host_(*trace.host), references_(references), launched_(host_) {}

  std::vector<GraphAlignment> run() {
    find();
    if (parts_.empty()) return {};
    order();
    if (host_.creation_of.empty()) {
      uint32_t* const to = host_.creation_of.extend(trace_.operations.size());
      std::fill(to, to + trace_.operations.size(), HostRange::none);
    }
    Placer placer(host_, references_);
    for (const Part& part : parts_) place(part, placer);
    host_.order_added();
    return std::move(graphs_);
  }

 private:
  /// The operations of one launch on one stream.
  struct Part {
    size_t launch;  // in `launched_`
    uint32_t track;
    uint32_t names;           // in `lists_`
    uint32_t candidates = 0;  // in `candidates_`, counted from 1; 0: all sequences
    bool one_stream = true;
  };
  /// A launch on one stream, for the order of launches.
  struct Ordered {
    size_t part;
    uint32_t thread;
    uint32_t annotation;
  };

  void find() {
    std::vector<bool> graph(host_.calls.size());
    for (size_t i = 0; i < graph.size(); ++i) {
      graph[i] = host_.calls[i].name.find("GraphLaunch") != std::string::npos;
    }
    std::vector<uint32_t> number_of(trace_.names.size(), Calls::none);
    std::map<uint32_t, std::vector<uint32_t>> by_track;
    for (size_t i = 0; i < launched_.size(); ++i) {
      if (!graph[host_.launches[launched_.launch(i)].call]) continue;
      by_track.clear();
      for (const uint32_t operation : launched_.operations(i)) {
        if (host_.creation(operation) != nullptr) continue;  // the trace itself knows better
        const trace::Operation& one = trace_.operations[operation];
        uint32_t& number = number_of[one.name.index];
        if (number == Calls::none) {
          const trace::OperationName& name = trace_.names.get(one.name);
          number = references_.name(name.text, name.kind);
        }
        by_track[one.track.index].push_back(number);
      }
      for (const auto& [track, names] : by_track) {
        parts_.push_back({i, track, lists_.add(names), 0, by_track.size() == 1});
      }
    }
  }

  /// Captures of equal names are distinguished by the order of launches: a step launches its graphs
  /// in the order in which they were captured.
  void order() {
    std::vector<std::vector<uint32_t>> captures;  // as lists of names
    for (const std::vector<uint32_t>& one : references_.captures) {
      std::vector<uint32_t>& names = captures.emplace_back();
      for (const uint32_t sequence : one) {
        names.push_back(lists_.add(references_.sequences[sequence].names));
      }
    }
    if (captures.empty()) return;
    std::map<uint32_t, std::vector<Ordered>> step;  // by thread
    const auto begins_anew = [&](const std::vector<Ordered>& open, const Ordered& next) {
      if (open.empty()) return false;
      if (open[0].annotation != next.annotation) return true;
      return next.annotation == HostRange::none &&
             parts_[open[0].part].names == parts_[next.part].names;
    };
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].one_stream) continue;
      const trace::Launch& launch = host_.launches[launched_.launch(parts_[i].launch)];
      const Ordered next{i, launch.thread, annotation_at(launch)};
      std::vector<Ordered>& open = step[launch.thread];
      if (begins_anew(open, next)) order_step(open, captures);
      open.push_back(next);
    }
    for (auto& [thread, open] : step) order_step(open, captures);
  }

  /// The outermost annotation.
  uint32_t annotation_at(const trace::Launch& launch) const {
    const auto [first, end] = host_.ranges_of(launch.thread);
    const HostRange* const ranges = host_.ranges.begin();
    const HostRange* const behind =
        std::partition_point(ranges + first, ranges + end,
                             [&](const HostRange& one) { return one.start_ns <= launch.start_ns; });
    uint32_t found = HostRange::none;
    uint32_t at =
        behind == ranges + first ? HostRange::none : static_cast<uint32_t>(behind - 1 - ranges);
    for (; at != HostRange::none; at = ranges[at].parent) {
      if (ranges[at].contains(launch.start_ns) && ranges[at].kind == HostRange::Kind::annotation) {
        found = at;
      }
    }
    return found;
  }

  void order_step(std::vector<Ordered>& step, const std::vector<std::vector<uint32_t>>& captures) {
    std::vector<uint32_t> names;
    names.reserve(step.size());
    for (const Ordered& one : step) names.push_back(parts_[one.part].names);
    const uint32_t number = steps_.add(names);
    auto [known, added] = candidates_of_step_.try_emplace(number);
    if (added && names.size() > 1) {
      std::vector<std::set<uint32_t>> fits(names.size());
      for (size_t c = 0; c < captures.size(); ++c) {
        auto at = captures[c].begin();
        while (true) {
          at = std::search(at, captures[c].end(), names.begin(), names.end());
          if (at == captures[c].end()) break;
          const auto begin = static_cast<size_t>(at++ - captures[c].begin());
          for (size_t i = 0; i < names.size(); ++i) {
            fits[i].insert(references_.captures[c][begin + i]);
          }
        }
      }
      for (const std::set<uint32_t>& one : fits) {
        if (one.empty()) break;
        known->second.push_back(candidates_.add({one.begin(), one.end()}) + 1);
      }
    }
    for (size_t i = 0; i < known->second.size(); ++i) {
      parts_[step[i].part].candidates = known->second[i];
    }
    step.clear();
  }

  void place(const Part& part, Placer& placer) {
    const auto [at, added] =
        known_.try_emplace({part.names, part.candidates, part.one_stream}, graphs_.size());
    if (added) align_one(part, placer);
    GraphAlignment& graph = graphs_[at->second];
    const std::vector<Placed>& placed = placed_[at->second];
    const std::vector<uint32_t>& creations = creations_[at->second];
    ++graph.launches;
    size_t next = 0;
    for (const uint32_t operation : launched_.operations(part.launch)) {
      const trace::Operation& one = trace_.operations[operation];
      if (one.track.index != part.track || host_.creation(operation) != nullptr) continue;
      host_.creation_of[operation] = creations[next];
      GraphAlignment::Part& sum = graph.parts[static_cast<size_t>(placed[next].how)];
      ++sum.operations;
      sum.total_ns += one.duration_ns;
      graph.total_ns += one.duration_ns;
      ++next;
    }
  }

  /// The sequences of the references; joined ones, or the others.
  std::vector<uint32_t> sequences(bool joined) const {
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < references_.sequences.size(); ++i) {
      if (references_.origins[i].joined == joined) numbers.push_back(i);
    }
    return numbers;
  }

  std::vector<uint32_t> candidates_of(const Part& part) const {
    return part.candidates != 0 ? candidates_[part.candidates - 1] : sequences(false);
  }

  /// By names, and where these leave anything open, by families, too. `ops`: by kernel.
  Aligned align_with(const Part& part, const std::vector<uint32_t>& candidates,
                     std::vector<Placer::SureOp>& ops) {
    const std::vector<uint32_t>& names = lists_[part.names];
    const Calls& calls = references_.calls;
    Aligned found = align(names, references_.sequences, candidates, calls, part.one_stream);
    ops = sure_ops(found);
    if (found.evidence == Evidence::equal || found.evidence == Evidence::too_long) return found;
    std::vector<uint32_t> families;
    families.reserve(names.size());
    for (const uint32_t name : names) families.push_back(references_.family(name));
    const Aligned other =
        align(families, references_.by_family, candidates, calls, part.one_stream);
    std::vector<Placed> both = combine(found.kernels, other.kernels, references_.sequences, calls);
    if (both != found.kernels) {
      found.kernels = std::move(both);
      found.evidence = Evidence::families;
      found.best = other.best;
      found.matched = other.matched;
    }
    return found;
  }

  void align_one(const Part& part, Placer& placer) {
    std::vector<Placer::SureOp> ops;
    Aligned found = align_with(part, candidates_of(part), ops);
    // A graph may have been captured in pieces elsewhere.
    if (found.evidence == Evidence::none) found = align_with(part, sequences(true), ops);
    GraphAlignment& graph = graphs_.emplace_back();
    graph.kernels = static_cast<int64_t>(found.kernels.size());
    graph.evidence = found.evidence;
    graph.by_order = part.candidates != 0;
    graph.matched = static_cast<int64_t>(found.matched);
    graph.alternatives = static_cast<int64_t>(found.best.size());
    if (!found.best.empty()) {
      const Origin& origin = references_.origins[found.best[0]];
      graph.reference = references_.files[origin.file];
      graph.captured = origin.captured;
    }
    std::vector<uint32_t>& creations = creations_.emplace_back();
    for (size_t i = 0; i < found.kernels.size(); ++i) {
      creations.push_back(placer.creation(found.kernels[i], ops[i]));
    }
    placed_.push_back(std::move(found.kernels));
  }

  /// By kernel, the ops whose shapes are surely those of the graph: all names of the graph are in a
  /// capture, and ops and arguments are equal in all best alignments with all such captures. A call
  /// of an op is unknown if not all that it launched is in the graph: its time is not.
  std::vector<Placer::SureOp> sure_ops(const Aligned& found) const {
    std::vector<Placer::SureOp> sure(found.kernels.size());
    if (found.ops.empty()) return sure;
    // All places are in one sequence: the first that knows its ops.
    const std::vector<uint32_t>& ops = references_.origins[found.ops[0].sequence].ops;
    std::map<uint32_t, int64_t> missing;  // by call of an op, launches that are not in the graph
    const auto count = [&](uint32_t op, int64_t more) {
      if (op == References::unsure) return;
      for (; op != References::no_op; op = references_.op_calls[op].outer) missing[op] += more;
    };
    for (const uint32_t op : ops) count(op, 1);
    for (const OpPlace& place : found.ops) count(ops[place.item], -1);
    for (size_t i = 0; i < sure.size(); ++i) {
      if (!found.ops[i].sure) continue;
      sure[i].op = ops[found.ops[i].item];
      uint32_t op = sure[i].op;
      for (; op != References::no_op && missing[op] == 0; op = references_.op_calls[op].outer) {
        ++sure[i].levels;
      }
    }
    return sure;
  }

  trace::Trace& trace_;
  trace::HostTrace& host_;
  References& references_;
  const trace::LaunchedOperations launched_;
  Lists lists_, steps_, candidates_;
  std::vector<Part> parts_;
  std::map<uint32_t, std::vector<uint32_t>> candidates_of_step_;
  std::map<std::tuple<uint32_t, uint32_t, bool>, size_t> known_;  // in `graphs_`
  std::vector<GraphAlignment> graphs_;
  std::vector<std::vector<Placed>> placed_;       // by graph
  std::vector<std::vector<uint32_t>> creations_;  // by graph
};

}  // namespace

std::string_view to_string(Evidence evidence) noexcept {
  switch (evidence) {
    case Evidence::none:
      return "none";
    case Evidence::equal:
      return "equal";
    case Evidence::names:
      return "names";
    case Evidence::families:
      return "families";
    case Evidence::too_long:
      break;
  }
  return "too_long";
}

std::vector<GraphAlignment> place_replays(trace::Trace& trace, References& references) {
  if (references.empty()) return {};
  return Replays(trace, references).run();
}

}  // namespace kr::align
