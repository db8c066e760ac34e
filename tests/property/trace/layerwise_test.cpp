// Random forests and invented models, spelled as JSON in every way there is, against an independent
// slow reading: the whole text as values, times by shifting digits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/json_read.hpp"
#include "base/utf8.hpp"
#include "support/layerwise_dump.hpp"
#include "support/layerwise_writer.hpp"
#include "support/module_trees.hpp"
#include "support/rounds.hpp"

namespace kr::test::layerwise_test {
namespace {

struct Step {
  std::string key;
  int64_t running_seqs = -1;  // -1: not said
  Forest summary;
  Forest single_calls;
};

// Spells steps, everything at random that JSON leaves open.
class Speller {
 public:
  explicit Speller(uint32_t seed) : random_(seed) {}

  std::string whole(const std::vector<Step>& steps) {
    std::vector<std::string> members;
    if (one_in(2)) members.push_back(member("context", R"({"engine_args": {"model": "m"}})"));
    for (const Step& step : steps) members.push_back(member(step.key, this->step(step)));
    if (one_in(3)) members.insert(members.begin(), member("more", anything()));
    return space() + object(members, false) + space();
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  bool one_in(size_t count) { return below(count) == 0; }

  std::string space() {
    static const std::vector<std::string> spaces{
        "", "", "", " ", "\n", "\n      ", "\t", "\r\n ", "\n\n                       ", "  \t "};
    return spaces[below(spaces.size())];
  }
  std::string object(std::vector<std::string> members, bool shuffled = true) {
    if (shuffled) std::shuffle(members.begin(), members.end(), random_);
    return list('{', members, '}');
  }
  std::string list(char begin, const std::vector<std::string>& items, char end) {
    std::string out{begin};
    for (const std::string& item : items) {
      if (out.size() > 1) out += ',';
      out += space() + item + space();
    }
    if (items.empty()) out += space();
    return out + end;
  }
  std::string member(std::string_view key, const std::string& value) {
    return text(key) + space() + ':' + space() + value;
  }

  std::string text(std::string_view text) {
    std::string out = "\"";
    for (size_t at = 0; at < text.size();) {
      const size_t length = utf8_length(text, at);
      REQUIRE(length != 0);
      const std::string_view piece = text.substr(at, length);
      at += length;
      if (piece == "/" && one_in(2)) {
        out += "\\/";
      } else if (length > 3 || static_cast<unsigned char>(piece[0]) < 0x20 || piece == "\"" ||
                 piece == "\\" || one_in(8)) {
        out += escaped(piece);
      } else {
        out += piece;
      }
    }
    return out + '"';
  }
  std::string escaped(std::string_view piece) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(piece[i]) & 0xffU; };
    uint32_t code = byte(0);
    if (piece.size() > 1) code &= 0xffU >> (piece.size() + 1);
    for (size_t i = 1; i < piece.size(); ++i) code = code << 6 | (byte(i) & 0x3fU);
    const auto unit = [&](uint32_t value) {
      return one_in(2) ? fmt::format("\\u{:04x}", value) : fmt::format("\\u{:04X}", value);
    };
    if (code < 0x10000) return unit(code);
    return unit(0xd800 + ((code - 0x10000) >> 10)) + unit(0xdc00 + (code & 0x3ff));
  }

  // Another spelling of ns / 1000, and digits that do not matter.
  std::string time(int64_t ns) {
    std::string digits = fmt::to_string(ns);
    if (digits.size() < 5) digits.insert(0, 5 - digits.size(), '0');
    int exponent = 0;
    size_t point = digits.size() - 3;
    if (one_in(4)) {
      const size_t moved = 1 + below(digits.size() - 1);
      exponent = static_cast<int>(point) - static_cast<int>(moved);
      point = moved;
    }
    std::string whole = digits.substr(0, point);
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size() - 1));
    std::string out = whole;
    std::string fraction = digits.substr(point);
    if (one_in(3)) fraction += fmt::format("{}{}", below(5), random_());
    if (!fraction.empty()) out += '.' + fraction;
    if (exponent != 0 || one_in(9)) {
      out += fmt::format("{}{}{:02}", one_in(2) ? 'e' : 'E',
                         exponent < 0 ? "-"
                         : one_in(2)  ? "+"
                                      : "",
                         std::abs(exponent));
    }
    return out;
  }

  std::string anything() {
    static const std::vector<std::string> values{
        "null",
        "true",
        "false",
        "-0.5e-7",
        "12",
        "[]",
        "{}",
        R"([1, [2, {"a": "]}\""}], ""])",
        R"({"summary": {"entry": {}}, "a": [{"children": null}]})",
        R"("\\\"[{\u0000")"};
    return values[below(values.size())];
  }

  std::string step(const Step& step) {
    std::vector<std::string> members;
    if (step.running_seqs >= 0) {
      members.push_back(
          member("metadata", object({member("num_running_seqs", fmt::to_string(step.running_seqs)),
                                     member("x", anything())})));
    } else if (one_in(2)) {
      members.push_back(member("metadata", one_in(2) ? "null" : "{\"num_running_seqs\": null}"));
    }
    members.push_back(member("summary_stats", forest(step.summary)));
    members.push_back(member("model_stats", forest(step.single_calls)));
    if (one_in(3)) members.push_back(member("z", anything()));
    return object(members);
  }
  std::string forest(const Forest& trees) {
    std::vector<std::string> items;
    for (const Tree& tree : trees) items.push_back(node(tree));
    return list('[', items, ']');
  }
  std::string node(const Tree& tree) {
    std::vector<std::string> entry{
        member("name", text(tree.name)), member("cuda_time_us", time(tree.ns)),
        member("invocations", fmt::format("{}{}", tree.calls, one_in(5) ? ".0" : "")),
        member("pct_cuda_time", "12.5")};
    if (one_in(4)) entry.push_back(member("y", anything()));
    std::vector<std::string> members{member("entry", object(entry))};
    if (!tree.children.empty() || one_in(2)) {
      members.push_back(member("children", forest(tree.children)));
    } else if (one_in(2)) {
      members.push_back(member("children", "null"));
    }
    if (one_in(5)) members.push_back(member("w", anything()));
    return object(members);
  }

  std::mt19937 random_;
};

// The independent reading.

int64_t slow_time(std::string_view text) {
  std::string digits;
  int point = 0;
  size_t at = 0;
  for (bool fraction = false; at < text.size(); ++at) {
    if (text[at] == '.') {
      fraction = true;
    } else if (text[at] >= '0' && text[at] <= '9') {
      digits += text[at];
      if (!fraction) ++point;
    } else {
      break;
    }
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    point += std::stoi(std::string(text.substr(at + 1, 8)));
  }
  point += 3;
  digits.insert(0, 40, '0');
  digits.append(40, '0');
  point += 40;
  REQUIRE(point >= 0);
  const int64_t whole = std::stoll(digits.substr(0, static_cast<size_t>(point)));
  return whole + (digits[static_cast<size_t>(point)] >= '5' ? 1 : 0);
}

Forest slow_forest(const JsonValue& list, std::string_view text, int64_t calls) {
  Forest out;
  for (const JsonValue& item : list.items) {
    const JsonValue* entry = item.find("entry");
    REQUIRE(entry != nullptr);
    Tree tree;
    tree.name = entry->find("name")->string;
    tree.ns = slow_time(text.substr(entry->find("cuda_time_us")->begin));
    const JsonValue* count = entry->find("invocations");
    tree.calls = count == nullptr ? calls : static_cast<int64_t>(count->number);
    if (const JsonValue* children = item.find("children")) {
      tree.children = slow_forest(*children, text, calls);
    }
    out.push_back(std::move(tree));
  }
  return out;
}

void dump(const Forest& trees, size_t depth, std::string& out) {
  for (const Tree& tree : trees) {
    out += fmt::format("{:{}}{} {} {}\n", "", 2 * (depth + 1), tree.name, tree.ns, tree.calls);
    dump(tree.children, depth + 1, out);
  }
}

std::string dumped(const std::string& key, int64_t running_seqs, Forest trees) {
  std::string out = key;
  if (running_seqs >= 0) out += fmt::format(" [{}]", running_seqs);
  out += '\n';
  for (Tree& tree : trees) settle(tree);
  dump(trees, 0, out);
  return out;
}

std::string slow_reading(const std::string& text, bool single) {
  std::string out;
  const JsonValue whole = parse_json(text, "t.json");
  for (const JsonMember& member : whole.members) {
    const JsonValue* table = member.value.find(single ? "model_stats" : "summary_stats");
    if (table == nullptr) continue;
    int64_t running_seqs = -1;
    if (const JsonValue* metadata = member.value.find("metadata")) {
      const JsonValue* count = metadata->find("num_running_seqs");
      if (count != nullptr && count->kind == JsonValue::Kind::integer)
        running_seqs = count->integer;
    }
    out += dumped(member.key, running_seqs, slow_forest(*table, text, single ? 1 : 0));
  }
  return out;
}

trace::OpenOptions reading(bool single, size_t block_size) {
  return {.each_call = single, .block_size = block_size};
}

std::vector<Step> random_steps(RandomForests& forests) {
  std::vector<Step> steps;
  for (size_t count = forests.below(4); count > 0; --count) {
    Step step;
    step.key = steps.empty() ? "prefill" : fmt::format("decode \"é\" {}", steps.size());
    step.running_seqs = static_cast<int64_t>(forests.below(9)) - 1;
    step.summary = forests.forest();
    step.single_calls = forests.forest();
    steps.push_back(std::move(step));
  }
  return steps;
}

// Of a text that is cut off: an error, or whole steps from the first on.
void check_cut(std::string_view text, size_t size, size_t block_size,
               const trace::ModuleTrace& all) {
  CAPTURE(size);
  const std::string_view cut = text.substr(0, size);
  const std::string error = layerwise_error(cut, reading(false, block_size));
  CHECK(error.find(fmt::format("at byte {}: the file is cut off here", size)) != error.npos);
  const trace::ModuleTrace some = read_layerwise(cut, reading(false, block_size), true);
  REQUIRE(some.steps.size() <= all.steps.size());
  for (size_t i = 0; i < some.steps.size(); ++i) {
    std::string expected = dump_step(all, i);
    // What is said behind the table may be cut off.
    if (i + 1 == some.steps.size() && !some.steps[i].running_seqs) {
      expected = all.steps[i].key + expected.substr(expected.find('\n'));
    }
    const bool same = dump_step(some, i) == expected;
    CHECK(same);
  }
}

}  // namespace

TEST_CASE("random forests in random spelling") {
  // Of nodes that end together only the innermost ends: found in round 3.
  for (uint32_t seed = 1; seed <= rounds(150, 3); ++seed) {
    CAPTURE(seed);
    RandomForests forests(seed);
    const std::vector<Step> steps = random_steps(forests);
    const std::string text = Speller(seed).whole(steps);
    CAPTURE(text);
    for (const bool single : {false, true}) {
      std::string expected;
      for (const Step& step : steps) {
        expected += dumped(step.key, step.running_seqs, single ? step.single_calls : step.summary);
      }
      CHECK(slow_reading(text, single) == expected);
      const size_t small = 1 + forests.below(200);
      CHECK(dump_steps(read_layerwise(text, reading(single, small))) == expected);
      CHECK(dump_steps(read_layerwise(text, reading(single, 1 << 18))) == expected);
    }
    const trace::ModuleTrace all = read_layerwise(text);
    const size_t end = text.find_last_of('}');
    for (int i = 0; i < 20; ++i) {
      check_cut(text, forests.below(end + 1), 1 + forests.below(100), all);
    }
  }
}

TEST_CASE("invented models in every form") {
  using Family = ModelDescription::Family;
  for (const Family family : {Family::llama, Family::moe, Family::mla}) {
    for (int form = 0; form < 16; ++form) {
      CAPTURE(form);
      ModelDescription model;
      model.family = family;
      model.layers = 3;
      model.tensor_parallel = form % 2 + 1;
      model.odd = (form & 2) != 0;
      const std::string text =
          profile_text(model, {.nested = (form & 4) != 0, .pretty = (form & 8) != 0});
      for (const bool single : {false, true}) {
        const bool same =
            dump_steps(read_layerwise(text, reading(single, 1000))) == slow_reading(text, single);
        CHECK(same);
      }
      const trace::ModuleTrace trace = read_layerwise(text);
      CHECK(trace.steps.size() == 4);
      CHECK(trace.warnings.empty());
      CHECK(trace.dropped.empty());
      CHECK(!trace.model_text.empty());
    }
  }
}

}  // namespace kr::test::layerwise_test
