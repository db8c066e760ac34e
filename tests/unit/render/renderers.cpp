#include "render/renderers.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "base/gzip.hpp"
#include "base/own_output.hpp"

namespace kr::test::renderers_test {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("kr-renderers-test-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

std::string format_of(std::string_view path, bool operations) {
  const render::Renderer* const found = render::renderer_of_file(path, operations);
  return found != nullptr ? std::string(found->name) : "";
}

}  // namespace

TEST_CASE("the ending of a file means its format") {
  std::set<std::string> endings;
  for (const std::string& name : render::format_names(true)) {
    const render::Renderer& one = render::renderer_named(name);
    const std::string file = "x." + std::string(one.ending);
    CHECK(endings.insert(file).second);
    CHECK(format_of(file, true) == name);
    CHECK(format_of(file + ".gz", true) == name);
  }
  CHECK(format_of("x.pftrace", false).empty());
  CHECK(format_of("x.prv", false).empty());
  CHECK(format_of("x.txt", true).empty());
  CHECK(format_of("json", true).empty());
  CHECK(format_of("", true).empty());
  CHECK(render::format_names(false).size() + 2 == render::format_names(true).size());
}

TEST_CASE("only what kr wrote is its own") {
  const Folder folder;
  const fs::path path = folder.path / "x";
  const auto is_own = [&](std::string_view bytes, std::string_view begin = {}) {
    write_file(path, bytes);
    try {
      render::check_own(PendingFile(path), begin);
    } catch (const Error& error) {
      CHECK(error.path() == path.string());
      CHECK(error.remedy().find("--force") != std::string::npos);
      return false;
    }
    return true;
  };
  fs::remove(path);
  render::check_own(PendingFile(path));
  CHECK(is_own(""));
  CHECK(!is_own("my notes"));
  CHECK(is_own("{\"kr\":\"0.1.0\",\"schema\":3"));
  CHECK(!is_own("{\"keys\":\"0.1.0\"}"));
  CHECK(is_own("{\"table\":\"runs\",\"run\":"));
  CHECK(is_own("<!doctype html>\n<meta name=\"generator\" content=\"kr 0.1.0\">"));
  CHECK(!is_own("<!doctype html>\n<meta name=\"generator\" content=\"krita\">"));
  CHECK(!is_own("my page: <meta name=\"generator\" content=\"kr 0.1.0\">"));
  CHECK(is_own(std::string(own_comment) + "\n### labels"));
  CHECK(is_own("<?xml version=\"1.0\"?>\n" + std::string(own_comment) + "\n<svg"));
  CHECK(!is_own("<?xml version=\"1.0\"?>\n<svg"));
  CHECK(is_own("\x89PNG\r\n" + std::string(own_png_text)));
  CHECK(!is_own("\x89PNG\r\n" + std::string("Software\0Gimp", 13)));
  CHECK(is_own("run,name,1\n", "run,name,"));
  CHECK(!is_own("run;name,1\n", "run,name,"));
  std::string database = std::string("SQLite format 3") + std::string(100, '\0');
  CHECK(!is_own(database));
  database.replace(68, 4, "krtr");
  CHECK(is_own(database));
  CHECK(is_own("\n\x80\x01\xf2\x07{\n\x13\n\nkr.version\x1a\x05"));
  CHECK(!is_own("\n\x80\x01\xf2\x07{\n\x13\n\nhk.version\x1a\x05"));
  CHECK(is_own("{\"perfetto_manifest\":{\"version\":1,\"attributes\":{\"kr.version\":\"0.1.0\""));
  CHECK(!is_own("{\"perfetto_manifest\":{\"version\":1,\"files\":[]}}"));
  CHECK(is_own("#Paraver (27/11/2026 at 05:00):1_ns\n# kr 0.1.0\n"));
  CHECK(!is_own("#Paraver (27/11/2026 at 05:00):1_ns\n1:1\n# kr 0.1.0\n"));
  std::string packed;
  GzipWriter gzip([&](std::string_view bytes) { packed += bytes; });
  gzip.write("{\"kr\":" + std::string(100'000, ' '));
  gzip.finish();
  CHECK(is_own(packed));
  CHECK(!is_own(std::string_view(packed).substr(0, 5)));
}

}  // namespace kr::test::renderers_test
