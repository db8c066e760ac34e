#include "report/page_parts.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/printable.hpp"

namespace kr {
namespace {

std::string markup_text(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string policy(const PageParts& parts) {
  return fmt::format(
      "default-src 'none'; script-src '{}' '{}'; style-src 'unsafe-inline'; img-src data: blob:; "
      "base-uri 'none'; form-action 'none'",
      parts.echarts_hash, parts.script_hash);
}

}  // namespace

std::string assemble_page(const PageParts& parts, std::string_view title, size_t data_size,
                          const std::function<void(std::string&)>& append_data) {
  const std::string_view page = parts.html;
  std::string out;
  out.reserve(page.size() + parts.style.size() + parts.echarts.size() + parts.script.size() +
              data_size);
  for (size_t at = 0; at < page.size();) {
    const size_t begin = page.find("{{", at);
    if (begin == std::string_view::npos) {
      out += page.substr(at);
      break;
    }
    const size_t end = page.find("}}", begin);
    KR_CHECK(end != std::string_view::npos);
    out += page.substr(at, begin - at);
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    if (name == "policy") {
      out += policy(parts);
    } else if (name == "version") {
      out += KR_VERSION;
    } else if (name == "title") {
      out += markup_text(title);
    } else if (name == "style") {
      out += parts.style;
    } else if (name == "echarts") {
      out += parts.echarts;
    } else if (name == "script") {
      out += parts.script;
    } else {
      KR_CHECK(name == "data");
      append_data(out);
    }
    at = end + 2;
  }
  return out;
}

}  // namespace kr
