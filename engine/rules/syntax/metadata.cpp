#include "syntax/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kr::syntax {

std::string_view to_string(MetadataKind kind) {
  switch (kind) {
    case MetadataKind::author:
      return "author";
    case MetadataKind::since:
      return "since";
    case MetadataKind::link:
      return "link";
  }
  return "";
}

std::vector<std::string_view> metadata_of(
    MetadataKind kind, std::initializer_list<const std::vector<Metadata>*> lists) {
  std::vector<std::string_view> texts;
  for (const std::vector<Metadata>* list : lists) {
    for (const Metadata& one : *list) {
      if (one.kind == kind) texts.push_back(one.text.text);
    }
    if (!texts.empty()) break;
  }
  return texts;
}

std::string required_version(const File& file) {
  const auto latest = std::ranges::max_element(file.requirements, {}, &Requirement::version);
  if (latest == file.requirements.end()) return "";
  const auto [major, minor, patch] = latest->version;
  return patch == 0 ? fmt::format("{}.{}", major, minor)
                    : fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace kr::syntax
