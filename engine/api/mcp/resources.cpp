#include "mcp/resources.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "explain/explain.hpp"
#include "tables/registry.hpp"
#include "tables/verdicts.hpp"

namespace kr::mcp {
namespace {

struct Resource {
  const char* uri;
  const char* name;
  const char* description;
};

constexpr std::array resources{
    Resource{"kr://questions", "questions",
             "How to answer the six questions about a trace, when to abstain, what never to claim"},
    Resource{"kr://glossary", "glossary", "What the words of the answers mean"},
    Resource{"kr://tables", "tables", "All tables, with their columns and units"},
    Resource{"kr://verdicts", "verdicts", "What each verdict means"},
    Resource{"kr://checks", "checks", "The findings of lint and test"},
};

constexpr std::string_view check_head = "kr://checks/";

std::optional<std::string> content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string verdicts() {
  std::string text = "# Verdicts\n\n";
  for (const tables::VerdictCode& one : tables::verdict_codes()) {
    text += fmt::format("- `{}`: {}\n", one.code, one.doc);
  }
  return text;
}

}  // namespace

void list_resources(lsp::Writer& writer) {
  writer.key("resources").open('[');
  for (const Resource& one : resources) {
    writer.open('{');
    writer.key("uri").text(one.uri);
    writer.key("name").text(one.name);
    writer.key("description").text(one.description);
    writer.key("mimeType").text("text/markdown");
    writer.close('}');
  }
  writer.close(']');
}

void list_templates(lsp::Writer& writer) {
  writer.key("resourceTemplates").open('[');
  writer.open('{');
  writer.key("uriTemplate").text("kr://checks/{code}");
  writer.key("name").text("check");
  writer.key("description").text("What a finding means, with an example and its remedy");
  writer.key("mimeType").text("text/markdown");
  writer.close('}');
  writer.close(']');
}

std::optional<std::string> resource(std::string_view uri, const std::string& data_folder) {
  if (uri == "kr://questions") return content_of(data_folder + "/skill/SKILL.md");
  if (uri == "kr://glossary") return content_of(data_folder + "/skill/glossary.md");
  if (uri == "kr://tables") return tables::reference_markdown();
  if (uri == "kr://verdicts") return verdicts();
  if (uri == "kr://checks") return explain::codes_markdown();
  if (uri.starts_with(check_head)) {
    const diag::CodeInfo* const info = explain::find_code_loosely(uri.substr(check_head.size()));
    if (info != nullptr && !explain::page_of(*info).empty()) {
      return std::string(explain::page_of(*info));
    }
  }
  return std::nullopt;
}

}  // namespace kr::mcp
