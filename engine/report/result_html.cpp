// result.html: the page's parts and the data of the runs in one file.
#include <fmt/format.h>

#include "base/check.hpp"
#include "report/page_data.hpp"
#include "report/page_parts.hpp"
#include "report/report.hpp"

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

/// Nothing may be fetched or sent, and no script runs but the page's own two.
std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src '{}' '{}'; style-src 'unsafe-inline'; img-src data: blob:; "
      "base-uri 'none'; form-action 'none'",
      page_parts.echarts_hash, page_parts.script_hash);
}

std::string title_of(const Report& report) {
  if (!report.title.empty()) return report.title;
  if (report.runs.size() == 1) return "GPU time of " + report.runs[0].id;
  return fmt::format("GPU time of {} runs", report.runs.size());
}

void append_part(std::string& out, std::string_view name, const Report& report) {
  if (name == "policy") {
    out += policy();
  } else if (name == "version") {
    out += KR_VERSION;
  } else if (name == "title") {
    out += markup_text(title_of(report));
  } else if (name == "style") {
    out += page_parts.style;
  } else if (name == "echarts") {
    out += page_parts.echarts;
  } else if (name == "script") {
    out += page_parts.script;
  } else {
    KR_CHECK(name == "data");
    append_page_data(out, report);
  }
}

}  // namespace

std::string to_html(const Report& report) {
  const std::string_view page = page_parts.html;
  std::string out;
  out.reserve(page.size() + page_parts.style.size() + page_parts.echarts.size() +
              page_parts.script.size() + estimated_page_data(report));
  for (size_t at = 0; at < page.size();) {
    const size_t begin = page.find("{{", at);
    if (begin == std::string_view::npos) {
      out += page.substr(at);
      break;
    }
    const size_t end = page.find("}}", begin);
    KR_CHECK(end != std::string_view::npos);
    out += page.substr(at, begin - at);
    append_part(out, page.substr(begin + 2, end - begin - 2), report);
    at = end + 2;
  }
  return out;
}

}  // namespace kr
