#include "lsp/uri.hpp"

#include <fmt/format.h>

#include "base/ascii.hpp"

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
    const int high = hex_value(text[at + 1]);
    const int low = hex_value(text[at + 2]);
    // The system would end a path at a NUL byte.
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
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
  std::string uri = "file://";
  for (const char c : (error ? path : whole).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_digit(c) || is_ascii_letter(c) ||
        std::string_view("/-._~").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return uri;
}

}  // namespace kr::lsp
