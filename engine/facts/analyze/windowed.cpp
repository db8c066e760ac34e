#include "analyze/windowed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analyze/health.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/join.hpp"
#include "base/printable.hpp"
#include "classify/enclosing_steps.hpp"
#include "classify/step_order.hpp"
#include "text/numbers.hpp"

namespace kr::analyze {
namespace {

constexpr size_t max_text = 60;  // bytes of a name in a message
constexpr const char* choose_by_time = "choose by time, with --from and --to";

/// `0..2, 7`.
std::string shown(const std::vector<size_t>& steps) {
  std::string out;
  for (size_t i = 0; i < steps.size();) {
    size_t end = i + 1;
    while (end < steps.size() && steps[end] == steps[end - 1] + 1) ++end;
    if (!out.empty()) out += ", ";
    out +=
        end - i > 1 ? fmt::format("{}..{}", steps[i], steps[end - 1]) : fmt::format("{}", steps[i]);
    i = end;
  }
  return out;
}

/// EnclosedTimes in order that do not overlap.
class EnclosedTimes {
 public:
  void add(int64_t start_ns, int64_t end_ns) { times_.emplace_back(start_ns, end_ns); }
  void finish() {
    std::sort(times_.begin(), times_.end());
    size_t kept = 0;
    for (const auto& [start_ns, end_ns] : times_) {
      if (kept > 0 && times_[kept - 1].second >= start_ns) {
        times_[kept - 1].second = std::max(times_[kept - 1].second, end_ns);
      } else {
        times_[kept++] = {start_ns, end_ns};
      }
    }
    times_.resize(kept);
  }
  bool empty() const noexcept { return times_.empty(); }
  bool contain(int64_t time) const {
    const auto behind = std::upper_bound(times_.begin(), times_.end(),
                                         std::pair(time, std::numeric_limits<int64_t>::max()));
    return behind != times_.begin() && time < (behind - 1)->second;
  }

 private:
  std::vector<std::pair<int64_t, int64_t>> times_;  // [start, end)
};

/// Where the launches are that ranges of a text enclose.
class RangeTimes {
 public:
  RangeTimes(const trace::HostTrace& host, const std::string& text)
      : host_(host), of_thread_(host.threads.size()) {
    const auto matches = [&](uint32_t name) {
      const bool in_text =
          !host.range_texts.empty() && host.range_texts[name].text.find(text) != std::string::npos;
      return in_text || host.range_names[name].find(text) != std::string::npos;
    };
    std::vector<bool> is_match(host.range_names.size());
    for (uint32_t i = 0; i < is_match.size(); ++i) is_match[i] = matches(i);
    for (const trace::HostRange& range : host.ranges) {
      if (range.kind == trace::HostRange::Kind::op || !is_match[range.name]) continue;
      ++ranges;
      of_thread_[range.thread].add(range.start_ns, range.end_ns);
      of_process_[host.threads[range.thread].process].add(range.start_ns, range.end_ns);
    }
    for (EnclosedTimes& times : of_thread_) times.finish();
    for (auto& [process, times] : of_process_) times.finish();
  }

  bool contain(const trace::Launch& launch) const {
    const EnclosedTimes& own = of_thread_[launch.thread];
    if (own.contain(launch.start_ns)) return true;
    const uint32_t whole = host_.whole_process(launch.thread);
    if (whole != trace::HostRange::none && of_thread_[whole].contain(launch.start_ns)) return true;
    if (!own.empty()) return false;
    const auto process = of_process_.find(host_.threads[launch.thread].process);
    return process != of_process_.end() && process->second.contain(launch.start_ns);
  }

  size_t ranges = 0;  // with the text

 private:
  const trace::HostTrace& host_;
  std::vector<EnclosedTimes> of_thread_;
  std::map<std::string_view, EnclosedTimes> of_process_;
};

/// What the kernels of a step are, and its load.
struct StepShape {
  size_t step;
  std::string_view phase;
  std::optional<int64_t> batch, tokens;
  uint64_t kernels = 0;  // the sum of a hash of each stream's
  int64_t count = 0;

  bool repeats(const StepShape& other) const {
    return std::tie(phase, batch, tokens, kernels, count) ==
           std::tie(other.phase, other.batch, other.tokens, other.kernels, other.count);
  }
};

struct SteadyStretch {
  size_t first = 0;
  size_t size = 0;
  size_t period = 1;
};

SteadyStretch longest_stretch(const std::vector<StepShape>& shapes,
                              const std::vector<bool>& breaks) {
  constexpr size_t max_period = 8;
  SteadyStretch longest;
  for (size_t period = 1; period <= max_period; ++period) {
    size_t begin = 0;
    for (size_t i = 0; i <= shapes.size(); ++i) {
      const bool goes_on = i < shapes.size() && !breaks[i] &&
                           (i < begin + period || shapes[i].repeats(shapes[i - period]));
      if (goes_on) continue;
      const size_t size = i - begin;
      if (size >= 2 * period && size > longest.size) longest = {begin, size, period};
      // Where the period is broken, the steps of the last one may begin another stretch.
      if (i < shapes.size()) begin = breaks[i] ? i + 1 : std::max(begin, i + 1 - period);
    }
  }
  return longest;
}

class InsideFinder {
 public:
  InsideFinder(const match::CompiledRules& rules, const LabelledTrace& run,
               const trace::Window& window)
      : rules_(rules), run_(run), trace_(run.trace), window_(window) {}

  Inside find() {
    check_source();
    const bool has_host = trace_.host != nullptr;
    if (has_host) steps_ = &run_.attribution(rules_).steps;
    find_conditions();
    Inside inside;
    std::vector<bool>& kept = inside.kept.operations;
    kept.resize(trace_.operations.size());
    int64_t operations = 0, total_ns = 0, all_ns = 0;
    for (size_t i = 0; i < kept.size(); ++i) {
      const int64_t duration_ns = trace_.operations[i].duration_ns;
      all_ns += duration_ns;
      if (!is_inside(i)) continue;
      kept[i] = true;
      ++operations;
      total_ns += duration_ns;
    }
    if (operations == 0)
      fail(fmt::format("no operation is inside the window: {}", shown()), exists());
    if (has_host) {
      leave_out_steps(inside.kept);
      find_cut_steps(inside.kept);
    }
    inside.note = {
        std::string(window_note),
        fmt::format("{}: {} of {} operations, {} of {}{}.", shown(), text::grouped(operations),
                    text::grouped(static_cast<int64_t>(kept.size())), text::human_time(total_ns),
                    text::human_time(all_ns), renumbered_),
        "info"};
    return inside;
  }

 private:
  static constexpr uint32_t none = classify::Attribution::none;

  [[noreturn]] void fail(std::string why, std::string remedy) const {
    throw Error(trace_.source, std::move(why), std::move(remedy));
  }

  std::string shown() const { return join(parts_, ", "); }

  /// What can be named.
  std::string exists() const {
    std::string out;
    if (steps_ != nullptr && !steps_->empty()) {
      out = fmt::format("steps {}, phases: {}; ",
                        steps_->size() == 1 ? "0" : fmt::format("0..{}", steps_->size() - 1),
                        phases());
    }
    return out + fmt::format("the run lasts {}",
                             text::human_time(trace_.last_end_ns - trace_.first_start_ns));
  }

  std::string phases() const {
    std::vector<std::string_view> names;
    for (const classify::TraceStep step : *steps_) {
      if (std::find(names.begin(), names.end(), step.phase.label) == names.end()) {
        names.push_back(step.phase.label);
      }
    }
    return join(names, ", ");
  }

  void check_source() const {
    const auto has = [&](std::string_view code) {
      return std::any_of(trace_.warnings.begin(), trace_.warnings.end(),
                         [&](const Warning& one) { return one.code == code; });
    };
    if (trace_.operations.empty()) fail("contains no operations to choose from", "");
    if (trace_.ncu || has("times-in-sequence")) {
      fail("has no times of a run: no part of it can be chosen by step or time",
           "leave out the window");
    }
  }

  void need_steps(std::string_view option) const {
    if (steps_ != nullptr && !steps_->empty()) return;
    fail(fmt::format("has no annotated steps, which {} chooses from", option), choose_by_time);
  }

  void find_conditions() {
    if (window_.steps) choose_steps();
    if (!window_.phase.empty()) choose_phase();
    if (window_.from_ns || window_.to_ns) choose_times();
    if (!window_.range.empty()) choose_ranges();
    if (window_.skip_warmup) skip_warm_up();
    if (window_.steady) choose_steady();
  }

  /// By step: whether it or one that encloses it is one of them.
  std::vector<bool> with_inner(std::vector<bool> chosen) const {
    // An enclosing step comes before those inside it.
    for (size_t i = 0; i < chosen.size(); ++i) {
      const uint32_t outer = (*steps_)[i].outer;
      if (outer != none && chosen[outer]) chosen[i] = true;
    }
    return chosen;
  }

  /// From now on only operations of these steps are inside.
  void restrict_to(std::vector<bool> chosen) {
    chosen = with_inner(std::move(chosen));
    if (in_step_.empty()) {
      in_step_ = std::move(chosen);
      return;
    }
    for (size_t i = 0; i < chosen.size(); ++i) in_step_[i] = in_step_[i] && chosen[i];
  }

  void choose_steps() {
    need_steps("--steps");
    const auto [first, last] = *window_.steps;
    const auto end = static_cast<int64_t>(steps_->size()) - 1;
    const bool open = last == std::numeric_limits<int64_t>::max();
    if (first > end || (!open && last > end)) {
      const std::string wanted = open            ? fmt::format("steps {}..", first)
                                 : first == last ? fmt::format("step {}", first)
                                                 : fmt::format("steps {}..{}", first, last);
      fail(fmt::format("does not have {}", wanted),
           fmt::format("it has steps {}; the table `steps` shows them",
                       end == 0 ? "0" : fmt::format("0..{}", end)));
    }
    std::vector<bool> chosen(steps_->size());
    for (int64_t i = first; i <= std::min(last, end); ++i) chosen[static_cast<size_t>(i)] = true;
    restrict_to(std::move(chosen));
    const int64_t shown_last = std::min(last, end);
    parts_.push_back(first == shown_last ? fmt::format("step {}", first)
                                         : fmt::format("steps {}..{}", first, shown_last));
  }

  void choose_phase() {
    need_steps("--phase");
    std::vector<bool> chosen(steps_->size());
    bool any = false;
    for (size_t i = 0; i < chosen.size(); ++i) {
      chosen[i] = (*steps_)[i].phase.label == window_.phase;
      any = any || chosen[i];
    }
    if (!any) {
      fail(fmt::format("has no phase `{}`", excerpt(window_.phase, max_text)),
           fmt::format("its phases: {}", phases()));
    }
    restrict_to(std::move(chosen));
    parts_.push_back(fmt::format("phase {}", window_.phase));
  }

  void choose_times() {
    std::string part;
    if (window_.from_ns) part = fmt::format("from {}", text::human_time(*window_.from_ns));
    if (window_.to_ns) {
      part += fmt::format("{}to {}", part.empty() ? "" : " ", text::human_time(*window_.to_ns));
    }
    parts_.push_back(std::move(part));
  }

  void choose_ranges() {
    if (!trace_.host || trace_.host->ranges.empty()) {
      fail("has no annotations or ranges, which --range chooses from", choose_by_time);
    }
    ranges_.emplace(*trace_.host, window_.range);
    if (ranges_->ranges == 0) {
      constexpr size_t max_names = 5;
      std::set<std::string> names;
      for (const std::string& name : trace_.host->range_names) {
        if (names.size() < max_names && !name.empty())
          names.insert(fmt::format("`{}`", excerpt(name, max_text)));
      }
      fail(fmt::format("has no annotation or range with the text `{}`",
                       excerpt(window_.range, max_text)),
           fmt::format("its ranges begin with {}", join(names, ", ")));
    }
    parts_.push_back(fmt::format("{} with `{}`",
                                 text::counted(static_cast<int64_t>(ranges_->ranges), "range"),
                                 excerpt(window_.range, max_text)));
  }

  const std::vector<size_t>& warm_up() {
    if (!warm_up_) {
      warm_up_ =
          warm_up_of(sum_steps(rules_.program(), trace_, run_.labelled, run_.attribution(rules_)))
              .steps;
    }
    return *warm_up_;
  }

  void skip_warm_up() {
    need_steps("--skip-warmup");
    const std::vector<size_t>& steps = warm_up();
    if (steps.empty()) {
      parts_.emplace_back("without warm-up, of which there is none");
      return;
    }
    std::vector<bool> warm(steps_->size());
    for (const size_t step : steps) warm[step] = true;
    is_warm_ = with_inner(std::move(warm));
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      const uint32_t step = run_.attribution(rules_).step_of[i];
      if (step != none && is_warm_[step]) warm_until_ns_ = trace_.operations[i].start_ns;
    }
    parts_.push_back(fmt::format("without warm-up ({} {}: more than twice the median of the phase)",
                                 steps.size() == 1 ? "step" : "steps", analyze::shown(steps)));
  }

  void choose_steady() {
    need_steps("--steady");
    const std::vector<StepShape> shapes = find_shapes();
    std::vector<bool> breaks;
    breaks.reserve(shapes.size());
    for (const StepShape& shape : shapes) {
      breaks.push_back(std::binary_search(warm_up().begin(), warm_up().end(), shape.step));
    }
    const SteadyStretch stretch = longest_stretch(shapes, breaks);
    if (stretch.size == 0) {
      fail("has no steady state: no two successive steps have the same kernels and batch",
           "choose steps with --steps");
    }
    std::vector<bool> chosen(steps_->size());
    std::vector<size_t> places;
    for (size_t i = stretch.first; i < stretch.first + stretch.size; ++i) {
      chosen[shapes[i].step] = true;
      places.push_back(shapes[i].step);
    }
    restrict_to(std::move(chosen));
    const StepShape& one = shapes[stretch.first];
    std::string load = fmt::format("{} each", text::counted(one.count, "kernel"));
    if (stretch.period > 1) load = fmt::format("again after every {} steps", stretch.period);
    if (stretch.period == 1 && one.batch) load += fmt::format(", batch {}", *one.batch);
    parts_.push_back(fmt::format(
        "steady steps {} ({} steps, the longest stretch with the same kernels and batch: {})",
        analyze::shown(places), stretch.size, load));
  }

  std::vector<StepShape> find_shapes() const {
    const classify::Attribution& attribution = run_.attribution(rules_);
    const classify::EnclosingSteps enclosing(*steps_);
    std::unordered_map<int64_t, uint64_t, NumberHash> streams;  // by step and track: its kernels
    std::vector<int64_t> counts(steps_->size());
    std::vector<bool> any(steps_->size());
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      if (attribution.step_of[i] == none) continue;
      const uint32_t step = enclosing.outermost(attribution.step_of[i]);
      any[step] = true;
      const trace::Operation& operation = trace_.operations[i];
      if (trace_.names.get(operation.name).kind != OperationKind::kernel) continue;
      ++counts[step];
      uint64_t& kernels = streams[int64_t{step} << 32 | operation.track.index];
      kernels = hash_numbers(kernels, operation.name.index);
    }
    std::vector<uint64_t> sums(steps_->size());
    for (const auto& [key, kernels] : streams) {
      sums[static_cast<size_t>(key >> 32)] += hash_numbers(kernels);
    }
    std::vector<StepShape> shapes;
    for (size_t i = 0; i < steps_->size(); ++i) {
      const classify::TraceStep step = (*steps_)[i];
      if (step.outer != none || !any[i]) continue;
      shapes.push_back(
          {i, step.phase.label, step.phase.batch, step.phase.tokens, sums[i], counts[i]});
    }
    return shapes;
  }

  bool is_inside(size_t i) const {
    const int64_t start_ns = trace_.operations[i].start_ns;
    const int64_t since_ns = start_ns - trace_.first_start_ns;
    if (window_.from_ns && since_ns < *window_.from_ns) return false;
    if (window_.to_ns && since_ns >= *window_.to_ns) return false;
    if (!in_step_.empty() || !is_warm_.empty()) {
      const uint32_t step = run_.attribution(rules_).step_of[i];
      if (!in_step_.empty() && (step == none || !in_step_[step])) return false;
      if (!is_warm_.empty() && (step == none ? start_ns < warm_until_ns_ : is_warm_[step])) {
        return false;
      }
    }
    if (!ranges_) return true;
    const trace::Launch* const launch = trace_.host->launch(i);
    return launch != nullptr && ranges_->contain(*launch);
  }

  /// By thread, rising: when it launched operations that are inside, or created their nodes.
  std::vector<std::vector<int64_t>> request_times(const trace::Kept& kept) const {
    const trace::HostTrace& host = *trace_.host;
    std::vector<std::vector<int64_t>> times(host.threads.size());
    for (size_t i = 0; i < kept.operations.size(); ++i) {
      if (!kept.operations[i]) continue;
      if (const auto* launch = host.launch(i)) times[launch->thread].push_back(launch->start_ns);
      if (const auto* creation = host.creation(i)) {
        times[creation->thread].push_back(creation->time_ns);
      }
    }
    for (std::vector<int64_t>& one : times) std::sort(one.begin(), one.end());
    return times;
  }

  /// Whether a range encloses one of them.
  bool encloses_any(const trace::HostRange& range,
                    const std::vector<std::vector<int64_t>>& times) const {
    const trace::HostTrace& host = *trace_.host;
    const trace::HostThread& own = host.threads[range.thread];
    for (uint32_t thread = 0; thread < times.size(); ++thread) {
      const bool shared = own.whole_process && host.threads[thread].process == own.process;
      if (thread != range.thread && !shared) continue;
      const auto at = std::lower_bound(times[thread].begin(), times[thread].end(), range.start_ns);
      if (at != times[thread].end() && *at < range.end_ns) return true;
    }
    return false;
  }

  /// Annotations of steps without operations inside, unless rules may find them around one.
  void leave_out_steps(trace::Kept& kept) {
    if (steps_->empty()) return;
    std::vector<bool> used(steps_->size());
    for (size_t i = 0; i < kept.operations.size(); ++i) {
      const uint32_t step = run_.attribution(rules_).step_of[i];
      if (kept.operations[i] && step != none) used[step] = true;
    }
    for (size_t i = used.size(); i-- > 0;) {
      const uint32_t outer = (*steps_)[i].outer;
      if (outer != none && used[i]) used[outer] = true;
    }
    const std::vector<std::vector<int64_t>> times = request_times(kept);
    kept.without_ranges.resize(trace_.host->ranges.size());
    std::vector<size_t> places;
    for (size_t i = 0; i < used.size(); ++i) {
      const uint32_t range = (*steps_)[i].range;
      if (used[i] || encloses_any(trace_.host->ranges[range], times)) {
        places.push_back(i);
      } else {
        kept.without_ranges[range] = true;
      }
    }
    if (places.empty() || places.back() + 1 == places.size()) return;
    renumbered_ = places.size() == 1 ? fmt::format("; step {} is 0 here", places.front())
                                     : fmt::format("; steps {} are 0..{} here",
                                                   analyze::shown(places), places.size() - 1);
  }

  /// Steps of which the first operation, or that of the step that follows, is not inside.
  void find_cut_steps(trace::Kept& kept) const {
    if (steps_->empty()) return;
    const classify::Attribution& attribution = run_.attribution(rules_);
    const classify::StepOrder order(trace_, attribution);
    enum class First : uint8_t { unknown, inside, outside };
    std::vector<First> first(order.steps(), First::unknown);
    std::vector<bool> any(order.steps());
    for (size_t i = 0; i < kept.operations.size(); ++i) {
      if (attribution.step_of[i] == none) continue;
      const uint32_t step = order.outermost(attribution.step_of[i]);
      if (first[step] == First::unknown) {
        first[step] = kept.operations[i] ? First::inside : First::outside;
      }
      any[step] = any[step] || kept.operations[i];
    }
    for (size_t i = 0; i < first.size(); ++i) {
      const uint32_t next = order.next(i);
      const bool whole =
          first[i] == First::inside && (next == none || first[next] == First::inside);
      if (any[i] && !whole) kept.cut_steps.push_back((*steps_)[i].start_ns);
    }
  }

  const match::CompiledRules& rules_;
  const LabelledTrace& run_;
  const trace::Trace& trace_;
  const trace::Window& window_;
  const classify::TraceSteps* steps_ = nullptr;  // null: no host trace was read
  std::vector<std::string> parts_;               // of the note
  std::string renumbered_;
  std::vector<bool> in_step_;  // by step; empty: any
  std::vector<bool> is_warm_;  // by step; empty: none
  int64_t warm_until_ns_ = 0;
  std::optional<std::vector<size_t>> warm_up_;
  std::optional<RangeTimes> ranges_;
};

}  // namespace

Inside find_inside(const match::CompiledRules& rules, const LabelledTrace& run,
                   const trace::Window& window) {
  return InsideFinder(rules, run, window).find();
}

}  // namespace kr::analyze
