// The outermost layer of the protocol: messages, each with a header that contains its length.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/integer.hpp"
#include "lsp/rpc.hpp"

namespace kr::lsp {
namespace {

constexpr std::string_view field = "content-length";
constexpr size_t largest_length = 999'999'999'999;

/// The length in a header; nullopt and the reason if it has none.
std::optional<size_t> length_in(std::string_view head, std::string& why) {
  std::optional<size_t> length;
  while (!head.empty()) {
    const size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = trimmed(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    const size_t colon = line.find(':');
    if (colon == line.npos) {
      why = "a header line has no `:`";
      return std::nullopt;
    }
    if (!same_ignoring_case(trimmed(line.substr(0, colon)), field)) continue;
    length = integer_from<size_t>(trimmed(line.substr(colon + 1)));
    if (!length || *length > largest_length) {
      why = "Content-Length is not a length";
      return std::nullopt;
    }
  }
  if (!length) why = "the header has no Content-Length";
  return length;
}

}  // namespace

std::string framed(std::string_view body) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

std::optional<Framer::Message> Framer::refuse(std::string why) {
  lost_ = true;
  return Message{{}, std::move(why)};
}

/// Goes to the next possible header. False: it has not arrived yet.
bool Framer::resync() {
  const auto found = std::search(pending_.begin(), pending_.end(), field.begin(), field.end(),
                                 [](char x, char y) { return lower(x) == y; });
  lost_ = found == pending_.end();
  // The end may be the begin of `Content-Length`.
  const auto keep = static_cast<std::ptrdiff_t>(std::min(pending_.size(), field.size() - 1));
  pending_.erase(pending_.begin(), lost_ ? pending_.end() - keep : found);
  return !lost_;
}

std::optional<Framer::Message> Framer::next() {
  if (lost_ && !resync()) return std::nullopt;
  // A blank line ends a header; lines may also end with a lone line feed.
  const size_t crlf = pending_.find("\r\n\r\n");
  const size_t lf = pending_.find("\n\n");
  const size_t end = std::min(crlf, lf);
  if (end == pending_.npos) {
    if (pending_.size() <= max_head) return std::nullopt;
    pending_.clear();
    return refuse("the header has no end");
  }
  const size_t body_at = end + (crlf < lf ? 4 : 2);
  std::string why;
  const std::optional<size_t> length = length_in(std::string_view(pending_).substr(0, end), why);
  if (!length || end > max_head || *length > max_body) {
    pending_.erase(0, body_at);
    return refuse(!length ? why : "a message of more than 256 MiB, or a header of more than 8 KiB");
  }
  if (pending_.size() - body_at < *length) return std::nullopt;
  Message message{pending_.substr(body_at, *length), {}};
  pending_.erase(0, body_at + *length);
  return message;
}

}  // namespace kr::lsp
