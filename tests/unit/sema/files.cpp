// Files on disk: names, search paths, links, and errors.
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "unit/sema/support.hpp"

using namespace kr;
using namespace kr::test;
namespace fs = std::filesystem;

namespace {

/// A folder with a library in it, gone at the end; it is the current folder meanwhile.
class Home {
 public:
  Home() : before_(fs::current_path()) {
    std::string pattern = (fs::temp_directory_path() / "kr-sema-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    fs::current_path(path_);
    write("lib/stdlib/gemm.kr", "pattern any = \"gemm\"");
    write("lib/rulesets/vllm.kr",
          "use std.gemm\nengine vllm { substage { gemm: gemm.any } model llama { } }");
    write("lib/rulesets/sglang.kr", "engine sglang { substage { a: \"b\" } }");
    write("lib/rulesets/gputrc2graph.kr", "engine vllm { substage { a: \"b\" } }");
  }
  ~Home() {
    fs::current_path(before_);
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    write_file(path_ / name, text);
  }
  source::Library library() const { return source::Library({path_ / "lib"}); }
  Loaded load(const std::vector<std::string>& names) const {
    Loaded loaded;
    loaded.rules = sema::load_rules(names, library(), loaded.sink);
    return loaded;
  }
  std::string error(const std::vector<std::string>& names) const {
    try {
      load(names);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

 private:
  fs::path before_;
  fs::path path_;
};

std::string files(const Loaded& loaded) {
  std::string all;
  for (const sema::LoadedFile& file : loaded.rules->files) {
    all += loaded.rules->sources.path(file.file) + (file.root ? "* " : " ");
  }
  return all;
}

}  // namespace

TEST_CASE("nothing named: all shipped rulesets but gputrc2graph") {
  const Home home;
  const Loaded loaded = home.load({});
  CHECK(messages(loaded) == "");
  CHECK(files(loaded) == "rulesets/sglang.kr* rulesets/vllm.kr* stdlib/gemm.kr stdlib/kind.kr ");
  REQUIRE(loaded.rules->files[1].uses.size() == 1);
  CHECK(loaded.rules->files[1].uses[0].name == "std.gemm");
  CHECK(loaded.rules->files[1].uses[0].file.index == 2);
  CHECK(files(home.load({"gputrc2graph"})) == "rulesets/gputrc2graph.kr* stdlib/kind.kr ");
}

TEST_CASE("names and paths") {
  const Home home;
  home.write("own/mine.kr",
             "use \"./common.kr\" use std.gemm use rulesets.vllm\n"
             "engine mine { substage { a: common.p | gemm.any } model m extends vllm.llama { } }");
  home.write("own/common.kr", "pattern p = \"p\"");
  const Loaded loaded = home.load({"own/mine.kr", "vllm"});
  CHECK(messages(loaded) == "");
  CHECK(files(loaded) ==
        "own/mine.kr* rulesets/vllm.kr* own/common.kr stdlib/gemm.kr stdlib/kind.kr ");
  CHECK(loaded.program().engines.size() == 2);
  CHECK(home.error({"vlm"}) == "vlm: no such ruleset; did you mean `vllm`?");
  CHECK(home.error({"vlm.kr"}) == "vlm.kr: no such file; did you mean `vllm`?");
  CHECK(home.error({"own/nothing.kr"}) ==
        "own/nothing.kr: no such file; give a path, or one of: gputrc2graph, sglang, vllm");
  CHECK(home.error({"./own"}).starts_with("./own: "));
  CHECK(home.error({""}).starts_with("no such ruleset"));
}

TEST_CASE("a file with several names is read once") {
  const Home home;
  home.write(
      "a.kr",
      "use \"./b.kr\" use \"./link.kr\" as c use \"././b.kr\" as d use \"lib/../b.kr\" as e\n"
      "engine e { s { x: b.p | c.p | d.p | e.p } }");
  home.write("b.kr", "pattern p = \"p\"");
  fs::create_symlink("b.kr", "link.kr");
  fs::create_symlink("a.kr", "again.kr");
  const Loaded loaded = home.load({"a.kr", "./a.kr", "again.kr"});
  CHECK(messages(loaded) == "");
  CHECK(files(loaded) == "a.kr* b.kr stdlib/kind.kr ");
}

TEST_CASE("a module is searched next to the file, then in the library") {
  const Home home;
  home.write("a.kr",
             "use std.gemm use std.mine use \"rulesets/sglang.kr\"\n"
             "engine e { s { x: gemm.own & mine.p } }");
  home.write("stdlib/gemm.kr", "pattern own = \"g\"");
  home.write("stdlib/mine.kr", "pattern p = \"p\"");
  const Loaded loaded = home.load({"a.kr"});
  CHECK(messages(loaded) == "");
  CHECK(files(loaded) == "a.kr* stdlib/gemm.kr stdlib/mine.kr rulesets/sglang.kr stdlib/kind.kr ");
}

TEST_CASE("modules that are not there") {
  const Home home;
  home.write("own/a.kr",
             "use std.gem\nuse \"./comon.kr\"\nuse gemm\nuse common\nuse \"./folder\" as f\n"
             "use rulesets.sglan");
  home.write("own/common.kr", "");
  home.write("own/folder/x.kr", "");
  const Loaded loaded = home.load({"own/a.kr"});
  CHECK(messages(loaded) ==
        "KR201 1:5 unknown module `std.gem` (did you mean `std.gemm`?)\n"
        "KR201 2:5 unknown module `./comon.kr` (did you mean `\"./common.kr\"`?)\n"
        "KR201 3:5 unknown module `gemm` (did you mean `std.gemm`?)\n"
        "KR201 4:5 unknown module `common` (for a file in the same folder, write `use "
        "\"./common.kr\"`)\n"
        "KR202 5:5 module `./folder` cannot be read: is a folder, not a file\n"
        "KR201 6:5 unknown module `rulesets.sglan` (did you mean `rulesets.sglang`?)\n");
}

TEST_CASE("two root files with one engine") {
  const Home home;
  home.write("mine.kr", "use std.gemm\n\nengine vllm { model llama { } model x { } }");
  home.write("other.kr", "use \"./mine.kr\"\nengine vllm { model y extends mine.x { } }");
  const std::string help =
      " (use only one of the two files; to change an engine, `use` its file and extend its models "
      "in an engine with another name)\n";
  CHECK(messages(home.load({"vllm", "mine.kr"})) ==
        "mine.kr KR319 3:8 engine `vllm` is also defined in rulesets/vllm.kr:2" + help);
  CHECK(messages(home.load({"other.kr", "vllm"})) ==
        "rulesets/vllm.kr KR319 2:8 engine `vllm` is also defined in other.kr:2" + help);
  // Using one is building on it, not a conflict.
  const Loaded loaded = home.load({"other.kr"});
  CHECK(messages(loaded) == "");
  CHECK(loaded.program().engines.size() == 1);
}

TEST_CASE("without a library") {
  const Home home;
  diag::Sink sink;
  CHECK_THROWS_AS(sema::load_rules({}, source::Library({}), sink), Error);
  home.write("a.kr", "engine e { }");
  const auto rules = sema::load_rules({"a.kr"}, source::Library({}), sink);
  CHECK_FALSE(sink.has_errors());
  CHECK(rules->files.back().path.empty());
  CHECK(rules->sources.path(rules->files.back().file) == "stdlib/kind.kr");
}

TEST_CASE("loading from memory gives the same result as from disk") {
  const Home home;
  const Loaded disk = home.load({});
  std::vector<sema::SourceFile> texts;
  for (const sema::LoadedFile& file : disk.rules->files) {
    sema::SourceFile one{disk.rules->sources.path(file.file),
                         std::string(disk.rules->sources.text(file.file)),
                         file.root,
                         {}};
    for (const auto& used : file.uses) one.uses.emplace_back(used.name, used.file.index);
    texts.push_back(std::move(one));
  }
  Loaded memory;
  memory.rules = sema::load_rules(std::move(texts), memory.sink);
  CHECK(messages(memory) == "");
  CHECK(files(memory) == files(disk));
  for (const char* title : {"vllm/llama", "sglang/default"}) {
    CHECK(rules_of(memory, title, "substage") == rules_of(disk, title, "substage"));
    CHECK(rules_of(memory, title, "kind") == rules_of(disk, title, "kind"));
  }
}
