#include "lint/edits.hpp"

#include <algorithm>

namespace kr::lint {
namespace {

/// Two insertions at one place touch too: which comes first would be chance.
bool touch(const Edit& a, const Edit& b) {
  if (a.span.begin == b.span.begin) return true;
  return a.span.begin < b.span.end && b.span.begin < a.span.end;
}

bool touch(const Fix& a, const Fix& b) {
  return std::any_of(a.edits.begin(), a.edits.end(), [&](const Edit& one) {
    return std::any_of(b.edits.begin(), b.edits.end(),
                       [&](const Edit& other) { return touch(one, other); });
  });
}

}  // namespace

std::vector<Fix> compatible_fixes(const std::vector<Diagnostic>& findings, FileId file,
                                  bool unsafe) {
  std::vector<Fix> chosen;
  for (const Diagnostic& finding : findings) {
    if (!finding.fix || finding.fix->edits.empty() || (!finding.fix->safe && !unsafe)) continue;
    const Fix& fix = *finding.fix;
    const bool here = std::all_of(fix.edits.begin(), fix.edits.end(),
                                  [&](const Edit& edit) { return edit.span.file == file; });
    const bool free = std::none_of(chosen.begin(), chosen.end(),
                                   [&](const Fix& other) { return touch(fix, other); });
    if (here && free) chosen.push_back(fix);
  }
  return chosen;
}

std::string apply(std::string_view text, const std::vector<Fix>& fixes) {
  std::vector<const Edit*> edits;
  for (const Fix& fix : fixes) {
    for (const Edit& edit : fix.edits) edits.push_back(&edit);
  }
  std::sort(edits.begin(), edits.end(), [](const Edit* a, const Edit* b) {
    return a->span.begin != b->span.begin ? a->span.begin < b->span.begin
                                          : a->span.end < b->span.end;
  });
  std::string made;
  size_t at = 0;
  for (const Edit* edit : edits) {
    made += text.substr(at, edit->span.begin - at);
    made += edit->text;
    at = edit->span.end;
  }
  return made += text.substr(at);
}

}  // namespace kr::lint
