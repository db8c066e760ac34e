#include "lint/edits.hpp"

#include <algorithm>

namespace kr::lint {
namespace {

/// Two insertions at one place touch too: which comes first would be chance.
bool touch(const diag::Edit& a, const diag::Edit& b) {
  if (a.span.begin == b.span.begin) return true;
  return a.span.begin < b.span.end && b.span.begin < a.span.end;
}

bool touch(const diag::Fix& a, const diag::Fix& b) {
  return std::any_of(a.edits.begin(), a.edits.end(), [&](const diag::Edit& one) {
    return std::any_of(b.edits.begin(), b.edits.end(),
                       [&](const diag::Edit& other) { return touch(one, other); });
  });
}

}  // namespace

std::vector<diag::Fix> compatible_fixes(const std::vector<diag::Diagnostic>& findings,
                                        source::FileId file, bool unsafe) {
  std::vector<diag::Fix> chosen;
  for (const diag::Diagnostic& finding : findings) {
    if (!finding.fix || finding.fix->edits.empty() || (!finding.fix->safe && !unsafe)) continue;
    const diag::Fix& fix = *finding.fix;
    const bool here = std::all_of(fix.edits.begin(), fix.edits.end(),
                                  [&](const diag::Edit& edit) { return edit.span.file == file; });
    const bool free = std::none_of(chosen.begin(), chosen.end(),
                                   [&](const diag::Fix& other) { return touch(fix, other); });
    if (here && free) chosen.push_back(fix);
  }
  return chosen;
}

std::string apply(std::string_view text, const std::vector<diag::Fix>& fixes) {
  std::vector<const diag::Edit*> edits;
  for (const diag::Fix& fix : fixes) {
    for (const diag::Edit& edit : fix.edits) edits.push_back(&edit);
  }
  std::sort(edits.begin(), edits.end(), [](const diag::Edit* a, const diag::Edit* b) {
    return a->span.begin != b->span.begin ? a->span.begin < b->span.begin
                                          : a->span.end < b->span.end;
  });
  std::string made;
  size_t at = 0;
  for (const diag::Edit* edit : edits) {
    made += text.substr(at, edit->span.begin - at);
    made += edit->text;
    at = edit->span.end;
  }
  return made += text.substr(at);
}

}  // namespace kr::lint
