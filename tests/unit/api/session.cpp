#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "kr/kr.hpp"
#include "kr/render.hpp"
#include "support/source_folder.hpp"

namespace fs = std::filesystem;

namespace {

constexpr const char* rules_text = R"(labels substage { gemm misc }
engine e "E" { substage { gemm: "gemm" misc: otherwise } }
)";
constexpr const char* trace_head = "Start (ns),Duration (ns),CorrId,Device,Strm,Name\n";

/// A folder with rules and traces.
class Files {
 public:
  Files() {
    fs::create_directories(path_);
    write("rules.kr", rules_text);
    write("a.csv", std::string(trace_head) + "1000,500,1,0,7,gemm_a\n1600,50,2,0,7,relu\n");
    write("b.csv", std::string(trace_head) + "0,70,1,0,7,gemm_b\n");
  }
  ~Files() { fs::remove_all(path_); }
  Files(const Files&) = delete;

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  void remove(const std::string& name) const { fs::remove(path_ / name); }
  kr::Rules rules() const {
    return kr::Rules::load({at("rules.kr")}, {.rules_folder = fs::path(kr::test::source_folder()),
                                              .use_cache = false});
  }

 private:
  fs::path path_ = fs::temp_directory_path() / ("kr-api-test-" + std::to_string(::getpid()));
};

size_t rows(const kr::Table& table) {
  struct : kr::RowSink {
    using RowSink::row;
    void row(std::span<const kr::Cell>) override { ++count; }
    size_t count = 0;
  } sink;
  table.write(sink);
  return sink.count;
}

template <class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const kr::Error& error) {
    return error.what();
  }
  return "nothing is thrown";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("rules: the rule of a name, columns with all dimensions, mangled names") {
  const Files files;
  const kr::Rules rules = files.rules();
  const auto rule = rules.rule("my_gemm", "substage");
  REQUIRE(rule);
  CHECK(contains(rule->place, "rules.kr:"));
  CHECK(contains(rule->text, "gemm: "));
  CHECK(rules.rule("my_gemm", "kind")->text.find('\n') == std::string::npos);
  CHECK(contains(message([&] { (void)rules.rule("x", "substgae"); }), "substage"));
  std::vector<std::string> columns;
  for (const kr::Column& column : rules.columns("operations")) columns.push_back(column.id);
  CHECK(std::find(columns.begin(), columns.end(), "substage") != columns.end());
  CHECK(std::find(columns.begin(), columns.end(), "*") == columns.end());
  CHECK(contains(message([&] { (void)rules.columns("operatoins"); }), "operations"));
  CHECK(kr::demangled("_Z1fv") == "f()");
  CHECK(!kr::demangled("f"));
}

TEST_CASE("rules: labels of names, and what is wrong in them") {
  const Files files;
  const kr::Rules rules = files.rules();
  CHECK(rules.label("my_gemm", "substage") == "gemm");
  CHECK(rules.label("relu", "substage", "e") == "misc");
  CHECK(contains(message([&] { (void)rules.label("x", "substgae"); }), "substage"));
  CHECK(contains(message([&] { (void)rules.label("x", "substage", "f"); }), "`f`"));
  CHECK(contains(message([&] { (void)kr::Rules::load({files.at("none.kr")}); }), "none.kr"));
  files.write("bad.kr", "engine e \"E\" { substage { gemm: \"a\" } }\nlabels {\n");
  const std::string wrong = message([&] { (void)kr::Rules::load({files.at("bad.kr")}); });
  CHECK(contains(wrong, "bad.kr: the rules have "));
  CHECK(contains(wrong, "KR1"));
  CHECK(contains(message([&] { (void)kr::Rules::load({}, {.rules_folder = files.at("")}); }),
                 "there are no rules in this folder"));
  CHECK(kr::Rules::load({files.at("rules.kr")}, {.use_cache = false}).label("gemm", "substage") ==
        "gemm");
}

TEST_CASE("a session opens each file once, and again only for more") {
  const Files files;
  kr::Session session(files.rules());
  session.add({.path = files.at("a.csv")});
  const auto first = session.tables({"labels", "devices", "steps"});
  REQUIRE(first.size() == 2);
  CHECK(first[0].id() == "labels");
  CHECK_FALSE(session.absent("steps").empty());
  // What is there is not opened again.
  files.remove("a.csv");
  CHECK(session.absent("labels").empty());
  CHECK(rows(session.table("runs")) == 1);
  // What is new is.
  session.add({.path = files.at("b.csv"), .engine = "e"});
  const size_t labels_before = rows(first[0]);
  CHECK(rows(session.table("runs")) == 2);
  CHECK(rows(first[0]) == labels_before);  // tables stay as they were
  // Operations were not kept: all is opened again, and one file is gone.
  CHECK(contains(message([&] { (void)session.table("operations"); }), "a.csv"));
  CHECK(rows(session.table("runs")) == 2);  // the session is as before
}

TEST_CASE("measured peaks are read with the runs, and said to be unused if they are") {
  const Files files;
  files.write("peaks.tsv", "gpu\tpeak\tper_second\tsource\nH100 SXM\tbf16\t7.2e14\ttest\n");
  kr::Session session(files.rules(), {.peaks = files.at("peaks.tsv")});
  session.add({.path = files.at("a.csv")});
  const std::vector<kr::RunNote> notes = session.notes();
  CHECK(std::ranges::any_of(notes, [](const auto& note) { return note.code == "unused-peaks"; }));
  kr::Session without(files.rules(), {.peaks = files.at("none.tsv")});
  without.add({.path = files.at("a.csv")});
  CHECK(contains(message([&] { (void)without.table("labels"); }), "none.tsv"));
}

TEST_CASE("tables outlive the session and the rules") {
  const Files files;
  std::vector<kr::Table> tables;
  {
    kr::Session session(files.rules());
    session.add({.path = files.at("a.csv")});
    session.add({.path = files.at("b.csv"), .elapsed_ns = 1000});
    tables = session.tables({"operations", "notes", "runs", "operations"});
  }
  REQUIRE(tables.size() == 4);
  CHECK(rows(tables[0]) == 3);
  CHECK(rows(tables[2]) == 2);
  CHECK(rows(tables[3]) == 3);
}

TEST_CASE("what a session has no table of") {
  const Files files;
  kr::Session session(files.rules());
  CHECK(session.absent("labels") == "no run was added");
  CHECK(session.absent("tree") == "it is about one run");
  CHECK(session.absent("coverage") == "no run was added");
  CHECK(rows(session.table("list_engines")) == 1);
  CHECK(session.tables({"labels"}).empty());
  CHECK(contains(message([&] { (void)session.table("labels"); }), "no run was added"));
  CHECK(contains(message([&] { (void)session.tables({"label"}); }), "`labels`"));
  const auto all = kr::all_tables();
  CHECK(std::any_of(all.begin(), all.end(), [](const auto* one) { return one->id == "labels"; }));
  CHECK(contains(message([&] { session.add({.path = ""}); }), "no path"));
  CHECK(contains(message([&] { session.add({.path = "a", .elapsed_ns = -1}); }), "negative"));
  session.add({.path = "-"});
  CHECK(contains(message([&] { session.add({.path = "-"}); }), "only once"));
  CHECK(session.runs() == 1);
}

TEST_CASE("every table is within reach") {
  const Files files;
  files.write("old.kr",
              "labels substage { gemm misc }\n"
              "engine e \"E\" { substage { gemm: \"gemm_b\" misc: otherwise } }\n");
  const kr::Rules old =
      kr::Rules::load({files.at("old.kr")},
                      {.rules_folder = fs::path(kr::test::source_folder()), .use_cache = false});
  kr::Session one(files.rules());
  one.add({.path = files.at("a.csv")});
  CHECK(contains(one.absent("explanations"), "no name"));
  CHECK(contains(one.absent("rule_changes"), "no rules"));
  one.explain({.name = "gemm_a", .kind = "kernel"});
  one.compare_with(old);
  kr::Session two(files.rules());
  two.add({.path = files.at("a.csv")});
  two.add({.path = files.at("b.csv")});
  for (const kr::TableInfo* info : kr::all_tables()) {
    INFO(info->id);
    const std::string reason = one.absent(info->id);
    CHECK_FALSE(contains(reason, "not a result"));
    if (reason == "it is about two runs" && info->id != "conditions") {
      CHECK(two.absent(info->id).empty());
    }
  }
  CHECK(rows(one.table("tree")) > 0);
  CHECK(rows(one.table("coverage")) == 1);
  CHECK(rows(one.table("explanations")) > 0);
  CHECK(rows(one.table("rule_changes")) == 1);  // `gemm_a` is `misc` by the old rules
  CHECK(rows(two.table("name_changes")) == 3);
  CHECK(contains(message([&] { one.explain({.name = "x", .kind = "kernle"}); }), "memset"));
}

TEST_CASE("what is computed from runs does not open them again") {
  const Files files;
  kr::Session session(files.rules());
  session.add({.path = files.at("a.csv")});
  REQUIRE(session.tables({"labels", "tree", "unexplained"}).size() == 3);
  files.remove("a.csv");
  session.explain({.name = "relu"});
  CHECK(rows(session.table("explanations")) > 0);
  CHECK(rows(session.table("labels")) > 0);
  CHECK(rows(session.table("runs")) == 1);
  // The same with another dimension would be another session.
  CHECK(rows(session.table("coverage")) == 1);
}

TEST_CASE("SQL over the tables of a session") {
  const Files files;
  std::optional<kr::Table> result;
  {
    kr::Session session(files.rules());
    session.add({.path = files.at("a.csv")});
    result = session.sql("SELECT substage, count(*) FROM operations GROUP BY 1");
    CHECK(contains(message([&] { (void)session.sql("SELECT 1 FROM label"); }), "`labels`"));
    CHECK(
        contains(message([&] { (void)session.sql("DELETE FROM labels"); }), "may not be modified"));
  }
  CHECK(rows(*result) == 2);
  CHECK(result->columns()[0].id == "substage");
}

TEST_CASE("notes of runs") {
  const Files files;
  files.write("two.csv", std::string(trace_head) +
                             "1000,500,1,0,7,gemm_a\n\nTime (%),Total Time (ns),Instances,Name\n"
                             "100,5,1,x\n");
  kr::Session session(files.rules());
  session.add({.path = files.at("two.csv")});
  const auto notes = session.notes();
  REQUIRE_FALSE(notes.empty());
  CHECK(notes[0].code == "dropped-records");
  CHECK(notes[0].count == 1);
}

TEST_CASE("a window: what of the runs is looked at") {
  const Files files;
  kr::Session session(files.rules(), {.window = "from 600ns; to 1s"});
  session.add({.path = files.at("a.csv")});
  const auto notes = session.notes();
  REQUIRE_FALSE(notes.empty());
  CHECK(notes[0].code == "window");
  CHECK(notes[0].text == "from 600 ns to 1.00 s: 1 of 2 operations, 50 ns of 550 ns.");

  const auto error_of = [&](const std::string& window) {
    try {
      kr::Session other(files.rules(), {.window = window});
      other.add({.path = files.at("a.csv")});
      (void)other.notes();
    } catch (const kr::Error& error) {
      return std::string(error.why());
    }
    return std::string();
  };
  CHECK(error_of("step 5") == "`step 5` is not a part of a window");
  CHECK(error_of("steps 5") == "has no annotated steps, which --steps chooses from");
  CHECK(error_of("from 1s") == "no operation is inside the window: from 1.00 s");
}

TEST_CASE("progress is reported, and its exceptions arrive") {
  const Files files;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that is stopped closes the pipe
  const std::string pipe = files.at("pipe.csv");
  const auto read = [&](const std::function<void(const kr::ReadProgress&)>& progress) {
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] {
      std::ofstream out(pipe);
      out << trace_head << std::flush;
      std::this_thread::sleep_for(std::chrono::milliseconds(350));
      out << "1000,500,1,0,7,gemm_a\n";
    });
    kr::Session session(files.rules(), {.progress = progress});
    session.add({.path = pipe});
    std::string thrown;
    try {
      const size_t runs = rows(session.table("runs"));
      CHECK(runs == 1);
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }
    writer.join();
    files.remove("pipe.csv");
    return thrown;
  };
  std::atomic<int> calls = 0;
  CHECK(read([&](const kr::ReadProgress& progress) {
          if (progress.run.path == pipe) ++calls;
        }).empty());
  CHECK(calls > 1);
  calls = 0;
  CHECK(read([&](const kr::ReadProgress&) {
          if (++calls == 2) throw std::runtime_error("enough");
        }) == "enough");
  CHECK(calls == 2);
}

TEST_CASE("a saved run is a run: of a report, and of a comparison on either side") {
  const Files files;
  const auto numbers = [&](const std::string& a, const std::string& b) {
    kr::Session session(files.rules());
    session.add({.path = files.at(a)});
    session.add({.path = files.at(b)});
    std::string text;
    for (const kr::Table& table : session.tables({"label_changes", "name_changes"})) {
      kr::render::csv(table, [&](std::string_view piece) { text += piece; });
    }
    return text;
  };
  {
    kr::Session session(files.rules());
    session.add({.path = files.at("a.csv")});
    session.save(files.at("a.krun"));
    CHECK(contains(message([&] { session.save(files.at("a.db")); }), "let it end in .krun"));
    CHECK(contains(message([&] { session.save(files.at("a.csv")); }), "let it end in .krun"));
  }
  CHECK(numbers("a.csv", "b.csv") == numbers("a.krun", "b.csv"));
  CHECK(numbers("b.csv", "a.csv") == numbers("b.csv", "a.krun"));
  CHECK(numbers("a.csv", "a.csv") == numbers("a.krun", "a.krun"));

  kr::Session session(files.rules());
  session.add({.path = files.at("a.krun")});
  session.add({.path = files.at("a.csv")});
  for (const char* id : {"labels", "devices", "kernels"}) {
    CAPTURE(id);
    std::vector<std::string> lines;
    std::string text;
    kr::render::csv(session.table(id), [&](std::string_view piece) { text += piece; });
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    REQUIRE(lines.size() % 2 == 1);  // a head, and as many rows of each
    for (size_t i = 1; i <= lines.size() / 2; ++i) {
      const std::string other = lines[i + lines.size() / 2];
      CHECK(lines[i].substr(lines[i].find(',')) == other.substr(other.find(',')));
    }
  }
  // It has no operations.
  CHECK(contains(message([&] { (void)session.table("operations"); }), "is a saved run"));
  CHECK(rows(session.table("runs")) == 2);
  kr::Session named(files.rules());
  named.add({.path = files.at("a.krun"), .engine = "e"});
  CHECK(contains(message([&] { (void)named.table("runs"); }), "name only the file"));
}

TEST_CASE("views: pages and texts of verbs") {
  const Files files;
  kr::Session session(files.rules());
  CHECK(contains(message([&] { session.page(); }), "there is nothing"));
  session.add({.path = files.at("a.csv")});
  for (const char* const view : {"report", "analyze", "coverage"}) {
    const std::string page = session.page(view, "the <title>");
    CHECK(page.starts_with("<!doctype html>"));
    CHECK(contains(page, "the &lt;title&gt;"));
    CHECK(contains(page, "substage"));
    CHECK(contains(session.text(view), "gemm"));
    CHECK(!contains(session.text(view), "\x1b["));
    CHECK(contains(session.text(view, {.markdown = true}), "| "));
  }
  CHECK(contains(session.text("report", {.color = true}), "\x1b["));
  CHECK(contains(message([&] { session.page("diff"); }), "it is about two runs"));
  CHECK(contains(message([&] { session.text("why"); }), "no name to explain"));
  CHECK(contains(message([&] { session.text("what"); }), "choose from report, analyze, tree"));
  session.explain({.name = "a_gemm"});
  CHECK(contains(session.text("why"), "gemm"));
  session.add({.path = files.at("b.csv")});
  CHECK(contains(session.page("diff"), "gemm_b"));
  CHECK(contains(session.text("diff"), "gemm"));
  CHECK(contains(message([&] { session.page("tree"); }), "it is about one run"));
}

TEST_CASE("write: every format, by the ending of its file") {
  const Files files;
  kr::Session session(files.rules());
  session.add({.path = files.at("a.csv")});
  const auto written = [&](const std::string& name, const kr::WriteOptions& options = {}) {
    session.write(files.at(name), options);
    std::ifstream file(files.at(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  CHECK(written("x.json").starts_with("{\"kr\":"));
  CHECK(contains(written("x.json", {.tables = {"labels"}}), "\"labels\":["));
  CHECK(written("x.jsonl").starts_with("{\"table\":\"runs\""));
  CHECK(written("labels.csv", {.tables = {"labels"}}).starts_with("run,dimension,label,"));
  CHECK(written("x.md").starts_with("<!-- written by kr -->\n"));
  CHECK(written("x.sqlite").starts_with("SQLite format 3"));
  CHECK(written("x.html") == session.page());
  CHECK(written("y.html", {.view = "analyze", .title = "t"}) == session.page("analyze", "t"));
  CHECK(contains(written("z.html", {.tables = {"labels"}}), "\"labels\""));
  CHECK(written("text", {.format = "table"}) == session.text());
  CHECK(written("x.prv").starts_with("#Paraver "));
  CHECK(fs::exists(files.at("x.pcf")));
  CHECK(fs::exists(files.at("x.row")));
  CHECK(written("x.pftrace").starts_with("\n"));
  CHECK(written("x.pftrace.gz").starts_with("\x1f\x8b"));
  CHECK(contains(written("trace.bin", {.format = "perfetto"}).substr(0, 30), "kr.version"));
  // Again: it replaces what kr wrote, and nothing else.
  CHECK(written("x.json").starts_with("{\"kr\":"));
  CHECK(contains(message([&] { session.write(files.at("a.csv"), {.tables = {"labels"}}); }),
                 "a.csv"));
  files.write("mine.json", "{}");
  CHECK(contains(message([&] { session.write(files.at("mine.json")); }), "--force"));
  CHECK(written("mine.json", {.force = true}).starts_with("{\"kr\":"));
  CHECK(contains(message([&] { session.write(files.at("x.txt")); }), "which format"));
  CHECK(contains(message([&] { session.write("x", {.format = "jsn"}); }), "`json`"));
  CHECK(contains(message([&] { session.write(files.at("x.csv")); }), "one table"));
  CHECK(contains(message([&] { session.write(files.at("x.json"), {.tables = {"steps"}}); }),
                 "no table `steps`"));
  CHECK(!fs::exists(files.at("x.csv")));
  session.add({.path = files.at("b.csv")});
  CHECK(contains(message([&] { session.write(files.at("two.pftrace")); }), "one run"));
  CHECK(written("x.prv").starts_with("#Paraver "));
}
