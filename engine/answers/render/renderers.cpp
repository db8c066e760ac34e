#include "render/renderers.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "base/own_output.hpp"
#include "kr/render.hpp"

namespace kr::render {
namespace {

constexpr bool people = true, programs = false;

constexpr std::array all_renderers{
#define KR_RENDERER(name, ending, audience, content, mark, function) \
  Renderer{#name, ending, audience, Content::content},
#include "render/renderers.def"
#undef KR_RENDERER
};

bool is_for(const Renderer& one, bool operations) {
  return operations || (one.content != Content::run && one.content != Content::runs);
}

/// https://www.sqlite.org/fileformat2.html: the application id is big-endian.
bool is_own_database(std::string_view head) {
  constexpr size_t id_at = 68;
  if (!head.starts_with("SQLite format 3") || head.size() < id_at + 4) return false;
  uint32_t id = 0;
  for (size_t i = 0; i < 4; ++i) id = id << 8U | static_cast<unsigned char>(head[id_at + i]);
  return id == static_cast<uint32_t>(sqlite_application_id) || id == own_cut_database;
}

bool is_own_page(std::string_view head) {
  return head.starts_with("<!doctype html>") &&
         head.find("<meta name=\"generator\" content=\"kr ") != head.npos;
}

bool is_own_perfetto(std::string_view head) {
  if (head.starts_with("{\"perfetto_manifest\":{\"version\":1,\"attributes\":{\"kr.version\":")) {
    return true;
  }
  // The first packet has attributes of the trace.
  constexpr size_t max_before = 16;
  const size_t at = head.find("kr.version");
  return head.starts_with('\n') && at != head.npos && at < max_before;
}

/// The three files: a comment, a type of events, the label of all of it.
bool is_own_paraver(std::string_view head) {
  if (head.starts_with("#Paraver ")) return head.find("\n# kr ") == head.find('\n');
  if (head.starts_with("DEFAULT_OPTIONS\n"))
    return head.find("\n0    96000000    kr ") != head.npos;
  return head.starts_with("LEVEL WORKLOAD SIZE 1\nkr ");
}

/// SVG, PNG, `.krdb` and parts of traces.
bool is_other_output(std::string_view head) {
  if (head.starts_with("\x89PNG")) return head.find(own_png_text) != head.npos;
  if (head.starts_with("<?xml")) return head.find(own_comment) != head.npos;
  return head.starts_with(own_cut) || head.starts_with("\x8bkrdb\r\n\n");
}

bool has_own_mark(std::string_view head) {
#define KR_RENDERER(name, ending, audience, content, mark, function) \
  if (mark) return true;
#include "render/renderers.def"
#undef KR_RENDERER
  return is_other_output(head);
}

}  // namespace

std::vector<std::string> format_names(bool operations) {
  std::vector<std::string> names;
  for (const Renderer& one : all_renderers) {
    if (is_for(one, operations)) names.emplace_back(one.name);
  }
  return names;
}

const Renderer& renderer_named(std::string_view name) {
  const auto* const at = std::ranges::find(all_renderers, name, &Renderer::name);
  KR_CHECK(at != all_renderers.end());
  return *at;
}

const Renderer* renderer_of_file(std::string_view path, bool operations) {
  const std::string_view plain = path.substr(0, path.size() - (path.ends_with(".gz") ? 3 : 0));
  const Renderer* found = nullptr;
  for (const Renderer& one : all_renderers) {
    const std::string ending = "." + std::string(one.ending);
    const bool fits = path.ends_with(ending) || plain.ends_with(ending);
    const bool longer = found == nullptr || one.ending.size() > found->ending.size();
    if (fits && longer && is_for(one, operations)) found = &one;
  }
  return found;
}

void check_own(const PendingFile& file, std::string_view begin) {
  const std::optional<std::string> head = file.replaced_head();
  if (!head || has_own_mark(*head) || (!begin.empty() && head->starts_with(begin))) return;
  throw Error(file.path().string(), "exists, and kr does not recognize it as a file that it wrote",
              "write to another place, or replace it with --force");
}

}  // namespace kr::render
