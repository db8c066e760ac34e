#include "align/reference.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "trace/launched.hpp"
#include "trace/open_op_calls.hpp"

namespace kr::align {

namespace {

bool is_digit_char(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_tile(std::string_view name) {
  // Tensile: C_ijk = A_ilk · B_ljk, then types, then `MT` and the sizes of the macro tile.
  return name.find("Cijk_") == name.npos ? name : name.substr(0, name.find("_MT"));
}

}  // namespace

std::string family_of(std::string_view name) {
  std::string family;
  size_t depth = 0;  // of `<` and `(`
  for (const char c : without_tile(name)) {
    if (c == '<' || c == '(') ++depth;
    if (depth == 0 && !is_digit_char(c)) family += c;
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  return family;
}

uint32_t References::name(std::string_view text, OperationKind kind) {
  const bool kernel = kind == OperationKind::kernel;
  const uint32_t number = names_.add(kernel ? text : to_string(kind));
  if (number == family_of_.size()) family_of_.push_back(Calls::none);
  return number;
}

uint32_t References::family(uint32_t name) {
  uint32_t& family = family_of_[name];
  if (family == Calls::none) family = families_.add(family_of(names_.text(name)));
  return family;
}

uint32_t References::add_sequence(Sequence sequence, Origin origin) {
  // Equal for sequences of equal names, paths, ops and changes of the call.
  uint64_t hash = hash_numbers(sequence.names.size(), origin.file);
  if (origin.joined) hash = hash_numbers(hash, 1);
  std::vector<uint32_t> content = sequence.names;
  uint32_t last = Calls::none;
  for (const Item& item : sequence.items) {
    content.insert(content.end(), {calls.path(item.call), item.chain, item.call == last});
    last = item.call;
  }
  for (const uint32_t number : content) hash = hash_numbers(hash, number);
  const auto [from, to] = known_.equal_range(hash);
  for (auto at = from; at != to; ++at) {
    const Sequence& other = sequences[at->second];
    if (other.names != sequence.names || origins[at->second].joined != origin.joined) continue;
    merge_ops(at->second, std::move(origin));
    return at->second;
  }
  const auto number = static_cast<uint32_t>(sequences.size());
  known_.emplace(hash, number);
  Sequence families{{}, sequence.items};
  families.names.reserve(sequence.names.size());
  for (const uint32_t name : sequence.names) families.names.push_back(family(name));
  sequence.ops.reserve(origin.ops.size());
  for (const uint32_t op : origin.ops) sequence.ops.push_back(ops_number(op));
  sequences.push_back(std::move(sequence));
  by_family.push_back(std::move(families));
  origins.push_back(std::move(origin));
  return number;
}

// The sequences are equal but for the arguments of ops.
void References::merge_ops(uint32_t known, Origin other) {
  if (other.ops.empty()) return;
  std::vector<uint32_t>& ops = origins[known].ops;
  std::vector<uint32_t>& numbers = sequences[known].ops;
  if (ops.empty()) {
    ops = std::move(other.ops);
    numbers.reserve(ops.size());
    for (const uint32_t op : ops) numbers.push_back(ops_number(op));
    return;
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    if (numbers[i] != ops_number(other.ops[i])) ops[i] = numbers[i] = unsure;
  }
}

/// What one trace adds.
class ReferenceReader {
 public:
  ReferenceReader(References& out, const trace::Trace& trace)
      : out_(out), trace_(trace), host_(*trace.host), call_of_(host_.ranges.size(), Calls::none) {}

  void run() {
    out_.files.push_back(trace_.source);
    threads_.resize(host_.threads.size());
    if (host_.ops) {
      open_ops_.emplace(*host_.ops, host_.threads.size());
      op_call_of_.assign(host_.ops->calls.size(), References::no_op);
      number_ops();
    }
    const trace::LaunchedOperations launched(host_);
    size_t next = 0;
    for (uint32_t i = 0; i < host_.launches.size(); ++i) {
      const bool has_operations = next < launched.size() && launched.launch(next) == i;
      launch(host_.launches[i],
             has_operations ? launched.operations(next++) : trace::LaunchPlaces());
    }
    for (Thread& thread : threads_) {
      finish_pass(thread);
      for (auto& [track, open] : thread.eager) finish(std::move(open), false);
      if (!thread.captures.empty()) out_.captures.push_back(std::move(thread.captures));
    }
  }

 private:
  struct Open {
    Sequence sequence;
    std::vector<int64_t> times;
    std::vector<uint32_t> ops;
    uint32_t thread = 0;
    // What begins a new sequence: another annotation, or the first root module once more.
    uint32_t annotation = trace::HostRange::none;
    uint32_t first_root = Calls::none;  // its path
    uint32_t last_root = Calls::none;   // a call
  };
  /// Captures in one call of a root module, or in one annotation outside of modules.
  struct Pass {
    Open open;
    uint32_t root = Calls::none;
    uint32_t annotation = trace::HostRange::none;
    size_t captures = 0;
    size_t captured = 0;  // launches up to the end of the last capture
  };
  struct Thread {
    bool capturing = false;
    Open capture;
    Pass pass;
    std::map<uint32_t, Open> eager;  // by track
    std::vector<uint32_t> captures;
  };
  struct Place {
    Item item;
    uint32_t annotation = trace::HostRange::none;  // the outermost
    uint32_t root = Calls::none;
  };

  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
  }

  void launch(const trace::Launch& launch, const trace::LaunchPlaces& operations) {
    const trace::HostCall& call = host_.calls[launch.call];
    Thread& thread = threads_[launch.thread];
    if (has(call.name, "StreamBeginCapture")) {
      thread.capturing = true;
      thread.capture = {};
      thread.capture.thread = launch.thread;
      const Place place = place_at(launch.thread, launch.start_ns);
      if (!is_in(thread.pass, place)) {
        finish_pass(thread);
        thread.pass.root = place.root;
        thread.pass.annotation = place.annotation;
        thread.pass.open.thread = launch.thread;
      }
      return;
    }
    if (has(call.name, "StreamEndCapture")) {
      if (!std::exchange(thread.capturing, false)) return;
      if (!thread.capture.sequence.names.empty()) {
        ++thread.pass.captures;
        thread.pass.captured = thread.pass.open.times.size();
      }
      const uint32_t number = finish(std::move(thread.capture), true);
      if (number != Calls::none) thread.captures.push_back(number);
      return;
    }
    if (thread.capturing && operations.empty()) return captured(launch, call, thread);
    if (has(call.name, "GraphLaunch")) return;
    if (operations.empty() && (call.kernel.empty() || thread.pass.captures == 0)) return;
    const Place place = place_at(launch.thread, launch.start_ns);
    const bool in_pass = is_in(thread.pass, place);
    if (operations.empty() && in_pass) {
      const uint32_t number = out_.name(call.kernel, operation_kind_of(call.kernel));
      add(thread.pass.open, number, place.item, launch.start_ns);
    }
    for (const uint32_t operation : operations) {
      const trace::Operation& one = trace_.operations[operation];
      Open& open = thread.eager[one.track.index];
      open.thread = launch.thread;
      if (begins_anew(open, place)) {
        finish(std::exchange(open, {}), false);
        open.thread = launch.thread;
      }
      if (open.sequence.names.empty()) {
        open.annotation = place.annotation;
        open.first_root = out_.calls.path(place.root);
      }
      open.last_root = place.root;
      const trace::OperationName& name = trace_.names.get(one.name);
      const uint32_t number = out_.name(name.text, name.kind);
      add(open, number, place.item, launch.start_ns);
      if (in_pass) add(thread.pass.open, number, place.item, launch.start_ns);
    }
  }

  static bool is_in(const Pass& pass, const Place& place) {
    if (pass.root != Calls::none || place.root != Calls::none) return pass.root == place.root;
    return pass.annotation != trace::HostRange::none && pass.annotation == place.annotation;
  }

  /// A sequence of all captures of a pass, and of what was launched between them.
  void finish_pass(Thread& thread) {
    Pass pass = std::exchange(thread.pass, {});
    if (pass.captures < 2) return;
    Open& open = pass.open;
    open.sequence.names.resize(pass.captured);
    open.sequence.items.resize(pass.captured);
    open.times.resize(pass.captured);
    finish(std::move(open), true, true);
  }

  void captured(const trace::Launch& launch, const trace::HostCall& call, Thread& thread) {
    uint32_t name = Calls::none;
    if (!call.kernel.empty()) {
      name = out_.name(call.kernel, operation_kind_of(call.kernel));
    } else if (has(call.name, "Memcpy") && has(call.name, "Async")) {
      name = out_.name({}, OperationKind::memcpy);
    } else if (has(call.name, "Memset") && has(call.name, "Async")) {
      name = out_.name({}, OperationKind::memset);
    } else {
      if (has(call.name, "LaunchKernel") || has(call.name, "LaunchCooperative")) ++out_.unnamed;
      return;
    }
    const Place place = place_at(launch.thread, launch.start_ns);
    add(thread.capture, name, place.item, launch.start_ns);
    if (open_ops_) thread.capture.ops.push_back(op_call_at(launch.thread, launch.start_ns));
    if (is_in(thread.pass, place)) add(thread.pass.open, name, place.item, launch.start_ns);
  }

  /// By op of the trace, its number in References::ops_of_calls.
  void number_ops() {
    for (const trace::HostOp& op : host_.ops->ops) {
      const auto [at, added] = out_.op_numbers_.try_emplace(
          {op.name, op.arguments}, static_cast<uint32_t>(out_.ops_of_calls.size()));
      if (added) out_.ops_of_calls.push_back(op);
      op_numbers_.push_back(at->second);
    }
  }

  /// The innermost op at that time, in References::op_calls.
  uint32_t op_call_at(uint32_t thread, int64_t time) {
    uint32_t call = References::no_op;
    for (const uint32_t place : open_ops_->at(thread, time)) {
      const trace::OpCall& one = host_.ops->calls[place];
      if (one.end_ns <= time) continue;
      uint32_t& known = op_call_of_[place];
      if (known == References::no_op || out_.op_calls[known].outer != call) {
        const uint32_t op = op_numbers_[one.op];
        const uint32_t above =
            call == References::no_op ? References::no_op : out_.op_calls[call].chain;
        const auto chain =
            out_.op_chains_.try_emplace({above, op}, static_cast<uint32_t>(out_.op_chains_.size()));
        known = static_cast<uint32_t>(out_.op_calls.size());
        out_.op_calls.push_back({op, call, chain.first->second});
      }
      call = known;
    }
    return call;
  }

  bool begins_anew(const Open& open, const Place& place) const {
    if (open.sequence.names.empty()) return false;
    if (place.annotation != open.annotation) return true;
    return place.annotation == trace::HostRange::none && place.root != Calls::none &&
           place.root != open.last_root && out_.calls.path(place.root) == open.first_root;
  }

  static void add(Open& open, uint32_t name, const Item& item, int64_t time) {
    open.sequence.names.push_back(name);
    open.sequence.items.push_back(item);
    open.times.push_back(time);
  }

  uint32_t finish(Open open, bool is_capture, bool joined = false) {
    if (open.sequence.names.empty()) return Calls::none;
    return out_.add_sequence(
        std::move(open.sequence),
        {static_cast<uint32_t>(out_.files.size() - 1), host_.threads[open.thread].thread,
         is_capture, joined, std::move(open.times), std::move(open.ops)});
  }

  Place place_at(uint32_t thread, int64_t time) {
    const auto [first, end] = host_.ranges_of(thread);
    const trace::HostRange* const ranges = host_.ranges.begin();
    const trace::HostRange* const behind =
        std::partition_point(ranges + first, ranges + end,
                             [&](const trace::HostRange& one) { return one.start_ns <= time; });
    modules_.clear();
    ops_.clear();
    Place place;
    uint32_t at = behind == ranges + first ? trace::HostRange::none
                                           : static_cast<uint32_t>(behind - 1 - ranges);
    for (; at != trace::HostRange::none; at = ranges[at].parent) {
      if (!ranges[at].contains(time)) continue;
      if (ranges[at].kind == trace::HostRange::Kind::module) modules_.push_back(at);
      if (ranges[at].kind == trace::HostRange::Kind::op) ops_.push_back(at);
      if (ranges[at].kind == trace::HostRange::Kind::annotation) place.annotation = at;
    }
    uint32_t call = Calls::none;
    uint32_t outer = trace::HostRange::none;
    for (size_t i = modules_.size(); i-- > 0;) {
      uint32_t& known = call_of_[modules_[i]];
      // A range that overlaps others may be in different modules at different times.
      if (known == Calls::none || out_.calls[known].outer != call) {
        known = out_.calls.add(call, host_.module_name(modules_[i], outer));
        out_.call_times.push_back({ranges[modules_[i]].start_ns, ranges[modules_[i]].end_ns});
      }
      call = known;
      if (outer == trace::HostRange::none) place.root = call;
      outer = modules_[i];
    }
    std::string chain;
    for (size_t i = ops_.size(); i-- > 0;) {
      if (!chain.empty()) chain += " > ";
      chain += host_.range_names[ranges[ops_[i]].name];
    }
    place.item = {call, out_.chains_.add(chain)};
    return place;
  }

  References& out_;
  const trace::Trace& trace_;
  const trace::HostTrace& host_;
  std::vector<Thread> threads_;
  std::vector<uint32_t> call_of_;  // by range
  std::vector<uint32_t> modules_, ops_;
  std::optional<trace::OpenOpCalls> open_ops_;  // the trace was read with ops
  std::vector<uint32_t> op_numbers_;            // by op of the trace
  std::vector<uint32_t> op_call_of_;            // by call of an op of the trace
};

void References::add(const trace::Trace& trace) {
  ReferenceReader(*this, trace).run();
}

}  // namespace kr::align
