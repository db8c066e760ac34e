#include "trace/cut.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "support.hpp"
#include "trace/reduce.hpp"
#include "trace/source_places.hpp"

namespace kr::test::cut_test {
namespace {

constexpr std::string_view name_of_thread =
    R"({"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{"name":"stream 7"}})";

std::string kernel(int number) {
  return fmt::format(
      R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":5,"args":{{"device":0,"stream":7,"correlation":{}}}}})",
      10 * number, number);
}

std::string text_of_kernels() {
  std::string text = R"({"schemaVersion":1,"traceEvents":[)";
  for (int i = 0; i < 1000; ++i) text += kernel(i) + ",\n";
  return text + std::string(name_of_thread) + "],\"traceName\":\"t\"}";
}

struct Opened {
  trace::SourcePlaces places;
  trace::OpenOptions options;
  trace::Trace trace;
};

void open(const std::string& path, Opened& out) {
  out.options.host = trace::HostDetail::all;
  out.options.places = &out.places;
  out.options.block_size = 4096;
  out.trace = trace::open_trace(path, out.options);
}

/// What is left of the file where only operations 500 and 501 are.
std::string cut_of(const Folder& folder, const std::string& path) {
  Opened opened;
  open(path, opened);
  trace::Kept kept;
  kept.operations.resize(opened.trace.operations.size());
  kept.operations[500] = kept.operations[501] = true;
  trace::reduce(opened.trace, kept);
  PendingFile to(folder.path("part.json"));
  const std::vector<const trace::Trace*> reduced{&opened.trace};
  trace::cut(path, opened.options, reduced, to);
  to.commit();
  std::ostringstream text;
  text << std::ifstream(folder.path("part.json")).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("places of a source are pieces of whole events, with their times") {
  const Folder folder;
  const std::string text = text_of_kernels();
  Opened opened;
  open(folder.write("t.json", text), opened);
  const trace::SourcePlaces& places = opened.places;
  CHECK(places.begin == text.find('[') + 1);
  CHECK(places.end == text.find("]"));
  CHECK(places.levels == 2);
  REQUIRE(places.pieces.size() > 3);
  uint64_t at = places.begin;
  for (const auto& piece : places.pieces) {
    CHECK(piece.offset == at);
    at += piece.size;
    CHECK(piece.any_time == (&piece == &places.pieces.back()));
  }
  CHECK(places.pieces.front().begin_ns == 0);
  CHECK(places.pieces.back().end_ns == 9'995'000);
}

TEST_CASE("a part of a source is the same text, packed or not, and with metadata at its end") {
  const Folder folder;
  const std::string text = text_of_kernels();
  const std::string expected = fmt::format(
      "{{\"madeBy\":\"kr "
      "cut\",\n\"schemaVersion\":1,\"traceEvents\":[\n{},\n{},\n{}\n],\"traceName\":\"t\"}}",
      kernel(500), kernel(501), name_of_thread);
  CHECK(cut_of(folder, folder.write("t.json", text)) == expected);
  CHECK(cut_of(folder, folder.write("t.json.gz", gzip(text))) == expected);
}

}  // namespace kr::test::cut_test
