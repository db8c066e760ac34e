#include "property/trace/random_kineto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace kr::test {
namespace {

template <size_t N>
std::string any(Random& random, const std::array<std::string_view, N>& of) {
  return std::string(of[below(random, N)]);
}

std::string spaces(Random& random) {
  constexpr std::array<std::string_view, 6> all{"", "", "", " ", "\n  ", "\t\r\n"};
  return any(random, all);
}

// Some characters as escapes.
std::string quoted(Random& random, std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += below(random, 2) == 0 ? fmt::format("\\u{:04x}", byte) : std::string{'\\', c};
    } else if (byte < 0x20 || (byte < 0x80 && below(random, 40) == 0)) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string object(Random& random, Members members) {
  std::shuffle(members.begin(), members.end(), random);
  std::string out = "{" + spaces(random);
  for (size_t i = 0; i < members.size(); ++i) {
    if (i != 0) out += "," + spaces(random);
    out += quoted(random, members[i].first) + spaces(random) + ":" + spaces(random) +
           members[i].second + spaces(random);
  }
  return out + "}";
}

std::string junk(Random& random, int depth = 0) {
  switch (below(random, depth > 3 ? 6 : 9)) {
    case 0:
      return "null";
    case 1:
      return "true";
    case 2:
      return fmt::format("{}", static_cast<int64_t>(random()));
    case 3:
      return "-0.5e-7";
    case 4:
      return quoted(random, "}]\"\\{[,:\n\\\\\"");
    case 5:
      return "\"\"";
    case 6:
      return "[" + spaces(random) + "]";
    case 7:
      return "[" + junk(random, depth + 1) + spaces(random) + "," + junk(random, depth + 1) + "]";
    default:
      return object(random, {{"ts", junk(random, depth + 1)}, {"x\"", junk(random, depth + 1)}});
  }
}

// Microseconds, with up to 19 decimals; small, so that times meet. They count from `epoch`.
std::string time(Random& random, size_t most, std::string_view epoch) {
  std::string out = std::to_string(below(random, most));
  if (!epoch.empty()) out = fmt::format("{}{:02}", epoch, below(random, most));
  if (below(random, 2) == 0) {
    out += '.';
    for (size_t digits = 1 + below(random, below(random, 4) == 0 ? 19 : 3); digits != 0; --digits) {
      out += static_cast<char>('0' + below(random, 10));
    }
  }
  if (below(random, 20) == 0) {
    out += epoch.empty() ? "e-2" : out.find('.') == out.npos ? "00e-2" : "e0";
  }
  return below(random, 6) == 0 ? '"' + out + '"' : out;
}

std::string number(Random& random, size_t most, std::string_view head = "") {
  const std::string text = std::to_string(below(random, most));
  if (!head.empty() && below(random, 2) == 0) return fmt::format("\"{}{}\"", head, text);
  return below(random, 4) == 0 ? '"' + text + '"' : text;
}

std::string event(Random& random, std::string_view epoch) {
  constexpr std::array<std::string_view, 20> categories{"kernel",
                                                        "Kernel",
                                                        "kernel",
                                                        "gpu_memcpy",
                                                        "Memcpy",
                                                        "gpu_memset",
                                                        "Memset",
                                                        "cuda_runtime",
                                                        "Runtime",
                                                        "cuda_driver",
                                                        "cuda_runtime",
                                                        "cuda_driver",
                                                        "user_annotation",
                                                        "user_annotation",
                                                        "python_function",
                                                        "cpu_op",
                                                        "python_function",
                                                        "gpu_user_annotation",
                                                        "ac2g",
                                                        "KERNEL"};
  constexpr std::array<std::string_view, 9> names{"gemm",
                                                  "naïve \"größe\" 核\\",
                                                  "Memcpy HtoD (Pageable -> Device)",
                                                  "__amd_rocclr_fillBuffer",
                                                  "nn.Module: Linear_0",
                                                  "nn.Module: Block_1",
                                                  "step[DECODE bs=32]",
                                                  "",
                                                  "]}{[\",\n"};
  constexpr std::array<std::string_view, 8> phases{"X", "X", "X", "X", "X", "X", "X", "i"};
  const std::string category = any(random, categories);
  Members members{{"ph", quoted(random, any(random, phases))},
                  {"cat", quoted(random, category)},
                  {"name", quoted(random, any(random, names))},
                  {"ts", time(random, 60, epoch)},
                  {"dur", time(random, 20, "")},
                  {"pid", number(random, 2)},
                  {"tid", number(random, 3, "stream ")}};
  if (below(random, 10) == 0) members.erase(members.begin() + 2);
  if (below(random, 10) == 0) members.back().second = "\"main\"";
  if (below(random, 3) == 0) members.emplace_back("id", junk(random));
  Members args;
  if (below(random, 3) != 0) args.emplace_back("device", number(random, 3));
  if (below(random, 3) != 0) args.emplace_back("stream", number(random, 3));
  if (below(random, 5) != 0) args.emplace_back("correlation", number(random, 12));
  if (below(random, 3) == 0) args.emplace_back("External id", junk(random));
  if (below(random, 6) != 0) members.emplace_back("args", object(random, args));
  return object(random, members);
}

}  // namespace

std::string RandomKineto::text(Random& random) const {
  std::string events_text = "[" + spaces(random);
  for (size_t i = 0; i < events.size(); ++i) {
    if (i != 0) events_text += spaces(random) + "," + spaces(random);
    events_text += events[i];
  }
  events_text += spaces(random) + "]";
  if (list) return spaces(random) + events_text + spaces(random);
  std::string out = spaces(random) + "{";
  for (size_t i = 0; i <= around.size(); ++i) {
    if (i == before) out += (i == 0 ? "\"traceEvents\":" : ",\"traceEvents\": ") + events_text;
    if (i == around.size()) break;
    if (out.back() != '{') out += "," + spaces(random);
    out += quoted(random, around[i].first) + ":" + around[i].second;
  }
  return out + spaces(random) + "}" + spaces(random);
}

RandomKineto random_kineto(Random& random) {
  RandomKineto out;
  out.list = below(random, 4) == 0;
  // Starts near 0 and others are not times of one trace.
  const std::string_view epoch = below(random, 4) == 0 ? "16069105962970" : "1";
  for (size_t i = below(random, 40); i != 0; --i) out.events.push_back(event(random, epoch));
  out.around = {{"schemaVersion", "1"},
                {"deviceProperties", R"([{"id": 1, "name": "GPU A"}, {"name": "B", "id": 2}, 7])"},
                {"baseTimeNanoseconds", "1735632360000000000"},
                {"x", junk(random)}};
  std::shuffle(out.around.begin(), out.around.end(), random);
  out.before = below(random, out.around.size() + 1);
  return out;
}

}  // namespace kr::test
