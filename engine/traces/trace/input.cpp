#include "trace/input.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"

namespace kr::trace {

std::string shown_path(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

Input::Input(const std::string& path, const OpenOptions& options)
    : path_(path), source_(path, shown_path(path), options.progress), options_(&options) {
  begin();
}

Input::Input(std::string_view bytes, std::string shown, const OpenOptions& options)
    : path_(shown), source_(bytes, std::move(shown)), options_(&options) {
  begin();
}

void Input::begin() {
  compression_ = compression_of(source_.head(head_size));
  decoder_ = make_decoder(compression_, source_);
  std::string head(head_size, '\0');
  head.resize(read(head.data(), head.size()));
  head_ = std::move(head);
  offset_ = 0;
}

bool Input::plain_file() const noexcept {
  return source_.regular() && compression_ == Compression::none;
}

std::vector<Input::Entry> Input::entries() const {
  namespace fs = std::filesystem;
  std::vector<Entry> out;
  std::error_code failed;
  for (fs::directory_iterator at(path_, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code ignored;
    out.push_back(
        {at->path().filename().string(), at->path().string(), at->status(ignored).type()});
  }
  if (failed) throw cannot_read(path_, failed.value());
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return out;
}

size_t Input::read_some(char* to, size_t room) {
  if (offset_ < head_.size()) {
    const size_t from = static_cast<size_t>(offset_);
    const size_t size = std::min(room, head_.size() - from);
    std::copy_n(head_.data() + from, size, to);
    return size;
  }
  const size_t got = decoder_ ? decoder_->read(to, room) : source_.read(to, room);
  if (got == 0 && truncated() && !options_->allow_truncated) {
    throw Error(shown(), Error::Place{.line = {}, .offset = offset_},
                "the compressed file is cut off here",
                "copy it again, or read the complete part with --allow-truncated");
  }
  return got;
}

size_t Input::read(char* to, size_t room) {
  size_t size = 0;
  while (size < room) {
    const size_t got = read_some(to + size, room - size);
    if (got == 0) break;
    size += got;
    offset_ += got;
  }
  return size;
}

void Input::skip(uint64_t bytes) {
  const uint64_t end = offset_ + bytes;
  std::string passed(size_t{64} << 10, '\0');
  while (offset_ < end) {
    if (plain_file() && offset_ >= head_.size()) {
      source_.skip(end - offset_);
      offset_ = end;
      return;
    }
    const auto room = static_cast<size_t>(std::min<uint64_t>(end - offset_, passed.size()));
    if (read(passed.data(), room) == 0) return;
  }
}

}  // namespace kr::trace
