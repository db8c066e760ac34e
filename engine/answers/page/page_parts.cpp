#include "page/page_parts.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "diag/xml.hpp"

namespace kr::page {
namespace {

std::string policy(const PageParts& parts) {
  return fmt::format(
      "default-src 'none'; script-src '{}' '{}' '{}'; style-src 'unsafe-inline'; img-src data: "
      "blob:; "
      "base-uri 'none'; form-action 'none'",
      page_shell.echarts.hash, page_shell.script.hash, parts.script.hash);
}

}  // namespace

std::string assemble_page(const PageParts& parts, std::string_view title, size_t data_size,
                          const std::function<void(std::string&)>& append_data) {
  const std::string_view page = page_shell.html;
  std::string out;
  out.reserve(page.size() + page_shell.style.size() + page_shell.script.text.size() +
              page_shell.echarts.text.size() + parts.style.size() + parts.script.text.size() +
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
      out += diag::xml_text(title);
    } else if (name == "style") {
      out += page_shell.style;
      out += parts.style;
    } else if (name == "echarts") {
      out += page_shell.echarts.text;
    } else if (name == "shared") {
      out += page_shell.script.text;
    } else if (name == "script") {
      out += parts.script.text;
    } else {
      KR_CHECK(name == "data");
      append_data(out);
    }
    at = end + 2;
  }
  return out;
}

}  // namespace kr::page
