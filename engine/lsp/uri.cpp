#include "lsp/uri.hpp"

#include "base/integer.hpp"
#include "base/uri.hpp"

namespace kr::lsp {
namespace fs = std::filesystem;
namespace {

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const auto byte = integer_from<uint8_t>(text.substr(at + 1, 2), 16);
    // The system would end a path at a NUL byte.
    if (!byte || *byte == 0) return std::nullopt;
    out += static_cast<char>(*byte);
    at += 2;
  }
  return out;
}

}  // namespace

fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : real;
}

std::optional<fs::path> path_of(std::string_view uri) {
  constexpr std::string_view scheme = "file:";
  if (!uri.starts_with(scheme)) return std::nullopt;
  uri.remove_prefix(scheme.size());
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const size_t slash = uri.find('/');
    if (slash == uri.npos) return std::nullopt;
    const std::string_view host = uri.substr(0, slash);
    if (!host.empty() && host != "localhost") return std::nullopt;
    uri.remove_prefix(slash);
  }
  if (!uri.starts_with('/')) return std::nullopt;
  const auto path = decoded(uri.substr(0, uri.find_first_of("?#")));
  if (!path || path->find('\0') != std::string::npos) return std::nullopt;
  return real_path(*path);
}

std::string uri_of(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return "file://" + uri_path((error ? path : whole).string());
}

}  // namespace kr::lsp
