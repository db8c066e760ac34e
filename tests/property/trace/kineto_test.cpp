// The reader of PyTorch traces against an obvious one: the whole text as JSON values in memory, one
// event after the other, each range and launch looked for in all of them. Random traces with
// everything that one may hold, windows so small that each is an event or two. Then the same with
// events in another order, with bytes changed, and cut off.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/json_read.hpp"
#include "property/trace/random_kineto.hpp"
#include "support/kineto_dump.hpp"
#include "support/rounds.hpp"

namespace kr::test::kineto_test {
namespace {

// --- The obvious reader ---------------------------------------------------------------------

// Microseconds as they are written, digit by digit.
int64_t nanoseconds(std::string_view text) {
  if (text.front() == '"') text = text.substr(1, text.size() - 2);
  int64_t shift = 3;
  const size_t mark = text.find('e');
  if (mark != text.npos) {
    shift += std::stol(std::string(text.substr(mark + 1)));
    text = text.substr(0, mark);
  }
  std::string digits;
  int64_t places = 0;
  bool behind = false;
  for (const char c : text) {
    if (c == '.') {
      behind = true;
    } else {
      digits += c;
      if (behind) ++places;
    }
  }
  for (; places < shift; ++places) digits += '0';
  const auto dropped = static_cast<size_t>(places - shift);
  digits.insert(0, dropped + 1, '0');
  const bool up = dropped != 0 && digits[digits.size() - dropped] >= '5';
  return std::stoll(digits.substr(0, digits.size() - dropped)) + (up ? 1 : 0);
}

struct Slow {
  std::string text;
  JsonValue whole;

  struct Host {
    int64_t start, end;
    std::string name, process, thread;
    bool module;
  };
  struct Call {
    int64_t start, duration;
    int64_t correlation;
    std::string name, process, thread;
    bool driver;

    auto key() const { return std::tie(start, name, driver, process, thread, duration); }
  };
  struct Done {
    int64_t start, duration;
    std::string name;
    OperationKind kind;
    int64_t device, stream;
    std::optional<int64_t> correlation;

    auto key() const {
      return std::make_tuple(start, -duration, name, kind, device, stream,
                             correlation.value_or(std::numeric_limits<int64_t>::min()));
    }
  };

  explicit Slow(std::string json) : text(std::move(json)), whole(parse_json(text, "t.json")) {}

  // As it is written: to the next comma, brace or space outside of quotes.
  std::string_view raw(const JsonValue& value) const {
    const std::string_view from = std::string_view(text).substr(value.begin);
    if (from.front() == '"') return from.substr(0, from.find('"', 1) + 1);
    return from.substr(0, from.find_first_of(",}] \t\r\n"));
  }
  static std::optional<int64_t> integer(const JsonValue* value, std::string_view head = "") {
    if (value == nullptr) return {};
    if (value->kind == JsonValue::Kind::integer) return value->integer;
    if (value->kind != JsonValue::Kind::string) return {};
    std::string text = value->string;
    if (text.starts_with(head)) text.erase(0, head.size());
    if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return {};
    return std::stoll(text);
  }
  static std::string plain(const JsonValue* value) {
    if (value == nullptr) return "";
    return value->kind == JsonValue::Kind::string ? value->string : std::to_string(value->integer);
  }

  std::string dump() {
    const JsonValue* events =
        whole.kind == JsonValue::Kind::array ? &whole : whole.find("traceEvents");
    std::map<int64_t, std::string> devices;
    if (const JsonValue* properties = whole.find("deviceProperties")) {
      for (const JsonValue& device : properties->items) {
        if (device.find("id") != nullptr) {
          devices[device.find("id")->integer] = device.find("name")->string;
        }
      }
    }
    std::vector<Host> ranges;
    std::vector<Call> calls;
    std::vector<Done> operations;
    for (const JsonValue& event : events->items) {
      if (event.find("ph")->string != "X") continue;
      std::string category = event.find("cat")->string;
      for (char& c : category) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      const JsonValue none;
      const JsonValue* args = event.find("args");
      if (args == nullptr) args = &none;
      const int64_t start = nanoseconds(raw(*event.find("ts")));
      const int64_t duration = nanoseconds(raw(*event.find("dur")));
      const JsonValue* name = event.find("name");
      const std::optional<int64_t> correlation = integer(args->find("correlation"));
      const std::string process = plain(event.find("pid"));
      const std::string thread = plain(event.find("tid"));
      const std::string called = name == nullptr ? "" : name->string;
      if (category == "kernel" || category == "gpu_memcpy" || category == "memcpy" ||
          category == "gpu_memset" || category == "memset") {
        Done done{start,
                  duration,
                  name == nullptr ? "(unnamed operation)" : called,
                  OperationKind::memset,
                  0,
                  0,
                  correlation};
        if (category.ends_with("memcpy")) done.kind = OperationKind::memcpy;
        if (category == "kernel") done.kind = operation_kind_of(done.name);
        done.device =
            integer(args->find("device")).value_or(integer(event.find("pid")).value_or(0));
        done.stream = integer(args->find("stream"))
                          .value_or(integer(event.find("tid"), "stream ").value_or(0));
        operations.push_back(done);
      } else if (category == "cuda_runtime" || category == "runtime" || category == "cuda_driver") {
        calls.push_back({start, duration, correlation.value_or(-1), called, process, thread,
                         category == "cuda_driver"});
      } else if (category == "user_annotation") {
        ranges.push_back({start, start + duration, called, process, thread, false});
      } else if (category == "python_function" && called.starts_with("nn.Module: ")) {
        ranges.push_back({start, start + duration, called.substr(11), process, thread, true});
      }
    }
    std::sort(operations.begin(), operations.end(),
              [](const Done& a, const Done& b) { return a.key() < b.key(); });
    std::string out;
    size_t orphans = 0;
    size_t uncorrelated = 0;
    for (const Done& done : operations) {
      out += fmt::format("{} {} {} `{}` {}/{} {}", done.start, done.duration, to_string(done.kind),
                         done.name, done.device, done.stream, devices[done.device]);
      const Call* launch = nullptr;
      for (const Call& call : calls) {
        if (!done.correlation || call.correlation != *done.correlation) continue;
        if (launch == nullptr || call.key() < launch->key()) launch = &call;
      }
      if (!done.correlation) ++uncorrelated;
      if (launch == nullptr) {
        ++orphans;
        out += '\n';
        continue;
      }
      out += fmt::format(" <- {} {} {} {}/{}", launch->start, launch->duration, launch->name,
                         launch->process, launch->thread);
      std::vector<const Host*> around;
      for (const Host& range : ranges) {
        if (range.process == launch->process && range.thread == launch->thread &&
            range.start <= launch->start && launch->start < range.end) {
          around.push_back(&range);
        }
      }
      std::sort(around.begin(), around.end(), [](const Host* a, const Host* b) {
        return std::tie(a->start, b->end, a->name) < std::tie(b->start, a->end, b->name);
      });
      const Host* annotation = nullptr;
      for (const Host* range : around) {
        if (range->module) {
          out += " > " + range->name;
        } else {
          annotation = range;
        }
      }
      if (annotation != nullptr) out += " in " + annotation->name;
      out += '\n';
    }
    return out + fmt::format("{} launches, {} ranges, {} orphans, {} uncorrelated\n", calls.size(),
                             ranges.size(), orphans, uncorrelated);
  }
};

const std::array<trace::OpenOptions, 5> readings{{{.block_size = 1, .threads = 1},
                                                  {.block_size = 64, .threads = 2},
                                                  {.block_size = 300, .threads = 1},
                                                  {.block_size = 1000, .threads = 2},
                                                  {}}};

// All that is said: the trace, or the Error.
std::string said(const std::string& text, const trace::OpenOptions& reading, bool allow_truncated) {
  try {
    const trace::Trace trace = read_kineto(text, reading, allow_truncated, trace::HostDetail::all);
    std::string out = dump_kineto(trace) + dump_dropped(trace);
    for (const Warning& warning : trace.warnings) out += warning.text + "\n";
    return out;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_CASE("random traces are read as the obvious reader reads them, in any order of events") {
  Random random(7);
  // An operation without a correlation has 0: found in round 1.
  for (uint64_t round = 0; round < rounds(200, 1); ++round) {
    CAPTURE(round);
    RandomKineto written = random_kineto(random);
    const std::string text = written.text(random);
    CAPTURE(text);
    const std::string slow = Slow(text).dump();
    for (const trace::OpenOptions& reading : readings) {
      const trace::Trace trace = read_kineto(text, reading, false, trace::HostDetail::all);
      REQUIRE(dump_kineto(trace) == slow);
      const std::set<std::string> told = range_names(text, reading);
      const std::set<std::string> kept(trace.host->range_names.begin(),
                                       trace.host->range_names.end());
      REQUIRE(std::includes(told.begin(), told.end(), kept.begin(), kept.end()));
      if (trace.dropped.empty()) REQUIRE(told == kept);
    }
    std::shuffle(written.events.begin(), written.events.end(), random);
    std::shuffle(written.around.begin(), written.around.end(), random);
    const std::string other = written.text(random);
    REQUIRE(dump_kineto(read_kineto(other, readings[1], false, trace::HostDetail::all)) == slow);
  }
}

TEST_CASE("changed bytes: all windows and threads say the same, and what is not JSON is refused") {
  Random random(8);
  constexpr std::string_view bytes = "{}[]\",:\\ 0-.eENaux\n\x01\xff";
  size_t refused = 0;
  // Half of an event is read: found in round 60.
  const uint64_t all = rounds(600, 60);
  for (uint64_t round = 0; round < all; ++round) {
    CAPTURE(round);
    std::string text = random_kineto(random).text(random);
    for (size_t i = 1 + below(random, 3); i != 0; --i) {
      const size_t at = below(random, text.size());
      switch (below(random, 3)) {
        case 0:
          text[at] = bytes[below(random, bytes.size())];
          break;
        case 1:
          text.insert(at, 1, bytes[below(random, bytes.size())]);
          break;
        default:
          text.erase(at, 1);
          break;
      }
    }
    CAPTURE(text);
    const bool allow = below(random, 2) == 0;
    const std::string whole = said(text, {.threads = 1}, allow);
    for (const trace::OpenOptions& reading : readings) REQUIRE(said(text, reading, allow) == whole);
    std::string fault;
    try {
      parse_json(text, "t.json");
    } catch (const Error& error) {
      fault = error.what();
    }
    // Bytes that are not UTF-8, control bytes in strings, and what Python writes for numbers, are
    // let through.
    const bool lenient = fault.find("not UTF-8") != fault.npos ||
                         fault.find("control byte") != fault.npos || text.find("NaN") != text.npos;
    if (fault.empty() || lenient || allow) continue;
    CAPTURE(fault);
    ++refused;
    REQUIRE_MESSAGE(whole.starts_with("t.json: "), whole);
  }
  CHECK(refused > all / 6);
}

TEST_CASE("any cut is an error or, where that is allowed, a part of the trace") {
  Random random(9);
  // The offset counts what is left instead of what is used: found in round 1.
  for (uint64_t round = 0; round < rounds(10, 1); ++round) {
    CAPTURE(round);
    const RandomKineto written = random_kineto(random);
    const std::string text = written.text(random);
    const size_t end = text.find_last_not_of(" \t\r\n") + 1;
    const trace::Trace whole = read_kineto(text);
    for (size_t cut = text.find_first_not_of(" \t\r\n") + 1; cut < end;
         cut += 1 + below(random, 4)) {
      const std::string head = text.substr(0, cut);
      CAPTURE(head);
      const trace::OpenOptions& reading = readings[cut % readings.size()];
      REQUIRE(kineto_error(head, reading).find("is cut off here") != std::string::npos);
      const trace::Trace part = read_kineto(head, reading, true);
      REQUIRE(
          part.warnings[0].text.starts_with(fmt::format("The file is cut off at byte {}: ", cut)));
      REQUIRE(part.operations.size() <= whole.operations.size());
    }
  }
}

}  // namespace
}  // namespace kr::test::kineto_test
