// Builder: what a file requires of kr, and metadata.
#include <algorithm>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {

constexpr std::string_view own_version = KR_VERSION;
constexpr size_t longest_version = 40;  // bytes of one in a message

}  // namespace

void Builder::check_requirement(const Requirement& requirement) {
  if (requirement.version <= *parse_version(own_version)) return;
  const std::string_view wanted =
      look_.slice(requirement.version_span.begin, requirement.version_span.end);
  sink_.add(diag::code::later_kr_required, requirement.span, wanted, own_version)
      .help("install kr {} or later, or take an earlier version of this file", wanted);
}

bool Builder::requires_later_kr() {
  const auto is = [&](const Token& token, std::string_view text) {
    return token.kind != TokenKind::string && look_.text(token) == text;
  };
  Token token = look_.token(text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  for (;; token = look_.next(token)) {
    if (is_metadata_keyword(look_.text(token)) && look_.next(token).kind == TokenKind::string) {
      token = look_.next(token);
      continue;
    }
    const Token program = look_.next(token);
    if (!is(token, "requires") || !is(program, "kr")) return false;
    Token first = look_.next(program);
    if (is(first, ">=")) first = look_.next(first);
    Token last = first;
    while (look_.byte(last.end) == '.') {
      last = look_.token(last.end + 1);
    }
    const auto version = parse_version(look_.slice(first.begin, last.end));
    if (!version) return false;
    if (*version > *parse_version(own_version)) {
      check_requirement({range(token.begin, last.end), *version, range(first.begin, last.end)});
      file_.too_new = true;
      return true;
    }
    token = last;
  }
}

void Builder::begin_head(size_t at) {
  if (level() != Level::file || declared_ || !file_.doc.empty()) return;
  file_.doc = trivia_.of_file(head_end_, at, true);
}

void Builder::on(For<g::requirement_begin>, source::Span span) {
  requirement_ = {};
  begin_head(span.begin);
}

void Builder::on(For<g::requirement>, source::Span span) {
  head_end_ = span.end;
  const source::Span written = requirement_.version_span;
  if (!written.valid()) return;
  const auto version = parse_version(look_.slice(written.begin, written.end));
  if (!version) {
    wrong_version(written.begin, written.end);
    return;
  }
  requirement_.version = *version;
  requirement_.span = span;
  check_requirement(requirement_);
  file_.requirements.push_back(requirement_);
}

/// Reports what is on the line from `begin`, at least up to `at`, where a version should be.
size_t Builder::wrong_version(size_t begin, size_t at) {
  const size_t end = std::min(text_.find_first_of("#\n", at), text_.size());
  const size_t last = std::max(look_.before_blanks(end), at);
  if (is_first_report(begin)) {
    sink_
        .add(diag::code::bad_version, range(begin, last),
             excerpt(look_.slice(begin, last), longest_version))
        .help("write the least version of kr: `requires kr >= {}`", own_version);
  }
  return last;
}

size_t Builder::mistake(For<g::required_version>, source::Span seen) {
  const Token token = look_.token(seen.begin);
  const bool missing = token.kind == TokenKind::end || look_.first_on_line(token.begin);
  if (missing) return expected(seen.begin, "a version: `>= 0.2`");
  return wrong_version(token.begin, token.begin);
}

size_t Builder::mistake(For<g::second_version>, source::Span seen) {
  const source::Span version = requirement_.version_span;
  const size_t begin = version.valid() ? version.begin : look_.token(seen.begin).begin;
  requirement_.version_span = {};
  return wrong_version(begin, seen.end);
}

// Metadata.

std::vector<Metadata>& Builder::metadata() {
  if (level() == Level::rules) return table_.metadata;
  return level() == Level::file ? file_.metadata : body().metadata;
}

void Builder::on(For<g::metadata_begin>, source::Span span) {
  const std::string_view word = is_repaired(Repair::keyword, span.begin)
                                    ? repair_keyword_
                                    : look_.slice(span.begin, span.end);
  begin_head(span.begin);
  metadata_ = {};
  metadata_.kind = word == "author"  ? MetadataKind::author
                   : word == "since" ? MetadataKind::since
                                     : MetadataKind::link;
}

void Builder::on(For<g::metadata>, source::Span span) {
  head_end_ = span.end;
  metadata_.span = span;
  if (metadata_.text.span.valid()) metadata().push_back(std::move(metadata_));
}

}  // namespace kr::syntax
