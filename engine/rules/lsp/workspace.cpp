#include "lsp/workspace.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "lsp/rpc.hpp"

namespace kr::lsp {

OpenDocument& Workspace::open(Document document) {
  std::string uri = document.uri;
  OpenDocument& open = documents_[uri] = OpenDocument{};
  const auto path = path_of(uri);
  open.is_file = path.has_value();
  open.path = path ? *path : std::filesystem::path(std::move(uri));
  open.document = std::move(document);
  edited(open);
  return open;
}

void Workspace::edited(OpenDocument& document) {
  document.edited = ++edits_;
  changed(document.path);
}

OpenDocument* Workspace::find(std::string_view uri) {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

OpenDocument& Workspace::get(std::string_view uri) {
  if (OpenDocument* found = find(uri)) return *found;
  throw RequestError(ErrorCode::invalid_params, fmt::format("`{}` is not open", uri));
}

bool Workspace::close(std::string_view uri) {
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return false;
  const std::filesystem::path path = found->second.path;
  documents_.erase(found);
  changed(path);
  return true;
}

void Workspace::changed(const std::filesystem::path& path) {
  for (auto& [uri, document] : documents_) {
    // A document with errors may need this file, which did not exist before.
    const bool waits = document.analysis == nullptr || !document.analysis->loaded();
    if (document.path != path && !waits && !document.analysis->reads(path)) continue;
    document.analysis.reset();
    document.checked = false;
    document.published = false;
  }
}

const std::shared_ptr<Analysis>& Workspace::analysis(OpenDocument& document) {
  if (document.analysis) return document.analysis;
  document.trouble.clear();
  try {
    const Editor editor{[this](const std::filesystem::path& path) {
                          const OpenDocument* open = at_path(path);
                          return open ? std::optional(open->document.text) : std::nullopt;
                        },
                        [this](const std::filesystem::path& path) {
                          const OpenDocument* open = at_path(path);
                          return open ? open->document.uri : uri_of(path);
                        }};
    document.analysis = std::make_shared<Analysis>(document.path.string(), library_, editor);
  } catch (const Error& error) {
    document.trouble = error.what();
  }
  return document.analysis;
}

std::optional<Check> Workspace::start_check(OpenDocument& document) {
  const std::shared_ptr<Analysis>& analysis = this->analysis(document);
  if (analysis == nullptr || !analysis->loaded()) {
    document.findings = analysis ? analysis->load_findings() : std::vector<diag::Diagnostic>();
    document.checked = true;
    return std::nullopt;
  }
  std::set<lint::Used> used;
  for (const auto& [uri, other] : documents_) {
    if (&other != &document && other.analysis && other.analysis->reads(document.path)) {
      used.merge(other.analysis->used());
    }
  }
  Check check;
  check.uri = document.document.uri;
  check.analysis = analysis;
  check.used_elsewhere = {used.begin(), used.end()};
  check.remembered = remembered_;
  return check;
}

bool Workspace::is_current(const Check& check) const {
  const auto found = documents_.find(check.uri);
  return found != documents_.end() && found->second.analysis == check.analysis;
}

OpenDocument& Workspace::finish_check(Check check) {
  OpenDocument& document = get(check.uri);
  document.findings = std::move(check.findings);
  document.checked = true;
  return document;
}

OpenDocument* Workspace::unpublished() {
  OpenDocument* last = nullptr;
  for (auto& [uri, document] : documents_) {
    if (document.published || (last != nullptr && last->edited > document.edited)) continue;
    last = &document;
  }
  return last;
}

const OpenDocument* Workspace::at_path(const std::filesystem::path& path) const {
  // A text without file is found by its URI.
  if (const auto named = documents_.find(path.string()); named != documents_.end()) {
    return &named->second;
  }
  const std::filesystem::path real = real_path(path);
  for (const auto& [uri, document] : documents_) {
    if (document.is_file && document.path == real) return &document;
  }
  return nullptr;
}

}  // namespace kr::lsp
