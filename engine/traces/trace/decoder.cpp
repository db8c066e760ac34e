#include "trace/decoder.hpp"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/input_files.hpp"

namespace kr::trace {
namespace {

constexpr size_t packed_block = size_t{1} << 18;

// What the two packed formats share: a buffer of packed bytes, and the count of unpacked ones.
class PackedDecoder : public Decoder {
 public:
  explicit PackedDecoder(RawSource& source) : source_(&source), packed_(packed_block) {}
  bool truncated() const noexcept final { return truncated_; }

 protected:
  /// False where there are no more packed bytes.
  bool refill() {
    if (at_ == end_) {
      at_ = 0;
      end_ = source_->read(packed_.data(), packed_.size());
    }
    return at_ != end_;
  }
  size_t left() const { return end_ - at_; }
  [[noreturn]] void damaged(const std::string& why) const {
    throw Error(source_->shown(), Error::Place{.line = {}, .offset = offset_}, why,
                "create the file again, or copy it again");
  }

  RawSource* source_;
  std::vector<char> packed_;
  size_t at_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;  // in the decompressed text
  bool truncated_ = false;
};

/// What ISA-L says of gzip data that is damaged.
const char* fault(int code) {
  switch (code) {
    case ISAL_INVALID_WRAPPER:
      return "incorrect header";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect data check";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance";
    case ISAL_INVALID_SYMBOL:
      return "invalid code";
    default:
      return "invalid block";
  }
}

class GzipDecoder final : public PackedDecoder {
 public:
  explicit GzipDecoder(RawSource& source)
      : PackedDecoder(source), state_(std::make_unique<inflate_state>()) {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP;
  }

  size_t read(char* to, size_t room) override {
    room = std::min<size_t>(room, std::numeric_limits<uint32_t>::max());
    while (!done_) {
      const bool more = refill();
      if (!in_member_) {
        if (!more) break;
        next_member();
        continue;
      }
      const size_t got = inflate_into(to, room);
      if (got != 0) return got;
      // No input is left, and the decoder had no more output: the file is cut off.
      truncated_ = !more && in_member_;
      done_ = truncated_;
    }
    done_ = true;
    return 0;
  }

 private:
  // Between members: another one, or the zeros that tape-minded programs pad with.
  void next_member() {
    if (!first_ && packed_[at_] == '\0') {
      ++at_;
      return;  // stays between members
    }
    if (!first_ && static_cast<unsigned char>(packed_[at_]) != 0x1f) {
      damaged("has bytes after the end of its gzip data");
    }
    first_ = false;
    isal_inflate_reset(state_.get());
    in_member_ = true;
  }

  size_t inflate_into(char* to, size_t room) {
    state_->next_in = reinterpret_cast<uint8_t*>(packed_.data() + at_);
    state_->avail_in = static_cast<uint32_t>(left());
    state_->next_out = reinterpret_cast<uint8_t*>(to);
    state_->avail_out = static_cast<uint32_t>(room);
    const int code = isal_inflate(state_.get());
    at_ = end_ - state_->avail_in;
    const size_t got = room - state_->avail_out;
    offset_ += got;
    if (code < 0) {
      damaged(std::string("its gzip data is damaged (") + fault(code) + ")");
    }
    if (state_->block_state == ISAL_BLOCK_FINISH) in_member_ = false;
    return got;
  }

  std::unique_ptr<inflate_state> state_;
  bool in_member_ = false;
  bool first_ = true;
  bool done_ = false;
};

class ZstdDecoder final : public PackedDecoder {
 public:
  explicit ZstdDecoder(RawSource& source) : PackedDecoder(source), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  size_t read(char* to, size_t room) override {
    ZSTD_outBuffer out{to, room, 0};
    while (out.pos == 0) {
      // Frames may hold back output that needs no more input: refilling comes after trying.
      const bool more = refill();
      if (!more && (!in_frame_ || drained_)) {
        truncated_ = in_frame_;
        break;
      }
      ZSTD_inBuffer in{packed_.data() + at_, left(), 0};
      const size_t code = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(code) != 0) {
        damaged(std::string("its zstd data is damaged (") + ZSTD_getErrorName(code) + ")");
      }
      drained_ = !more && out.pos == 0;
      at_ += in.pos;
      in_frame_ = code != 0;
    }
    offset_ += out.pos;
    return out.pos;
  }

 private:
  ZSTD_DStream* stream_;
  bool in_frame_ = false;
  bool drained_ = false;
};

}  // namespace

RawSource::RawSource(const std::string& path, std::string shown, Progress* progress)
    : shown_(std::move(shown)), progress_(progress) {
  owned_ = path != "-";
  descriptor_ = owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  if (descriptor_ < 0) throw cannot_read(shown_, errno);
  struct stat info {};
  if (::fstat(descriptor_, &info) == 0) {
    folder_ = S_ISDIR(info.st_mode);
    if (folder_ && !owned_) {
      throw Error(shown_, "is a folder, not a trace",
                  "name a file in it: an nsys report, its SQLite export or its cuda_gpu_trace CSV");
    }
    if (!folder_) InputFiles::note(descriptor_);
    regular_ = owned_ && S_ISREG(info.st_mode);
    if (S_ISREG(info.st_mode)) {
      ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
      if (progress_ != nullptr) progress_->total += static_cast<uint64_t>(info.st_size);
    }
  }
}

RawSource::RawSource(std::string_view bytes, std::string shown)
    : shown_(std::move(shown)), memory_(bytes) {}

RawSource::~RawSource() {
  if (owned_) ::close(descriptor_);
}

std::string_view RawSource::head(size_t size) {
  if (!memory_.empty()) return memory_.substr(0, size);
  head_.resize(size);
  size_t held = 0;
  while (const size_t got = read(head_.data() + held, size - held)) held += got;
  head_.resize(held);
  memory_ = head_;
  return memory_;
}

void Progress::check(const std::string& shown) const {
  if (stop) throw Error(shown, "reading was stopped");
}

/// Until there is something to read, or reading is stopped: a pipe may be silent for ever.
void RawSource::wait() const {
  pollfd one{descriptor_, POLLIN, 0};
  do progress_->check(shown_);
  while (::poll(&one, 1, 100) == 0);
}

void RawSource::skip(uint64_t bytes) {
  const uint64_t held = std::min<uint64_t>(bytes, memory_.size());
  memory_.remove_prefix(static_cast<size_t>(held));
  const uint64_t left = bytes - held;
  if (left == 0) return;
  if (::lseek(descriptor_, static_cast<off_t>(left), SEEK_CUR) < 0) {
    throw Error(shown_, std::string("cannot be read: ") + std::strerror(errno));
  }
  if (progress_ != nullptr) progress_->done.fetch_add(left, std::memory_order_relaxed);
}

size_t RawSource::read(char* to, size_t room) {
  if (!memory_.empty()) {
    const size_t size = std::min(room, memory_.size());
    std::copy_n(memory_.data(), size, to);
    memory_.remove_prefix(size);
    return size;
  }
  if (descriptor_ < 0 || folder_ || room == 0) return 0;
  while (true) {
    if (progress_ != nullptr) regular_ ? progress_->check(shown_) : wait();
    const ssize_t got = ::read(descriptor_, to, room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(shown_, std::string("cannot be read: ") + std::strerror(errno));
    if (progress_ != nullptr) {
      progress_->done.fetch_add(static_cast<uint64_t>(got), std::memory_order_relaxed);
    }
    return static_cast<size_t>(got);
  }
}

Compression compression_of(std::string_view head) noexcept {
  using namespace std::string_view_literals;
  if (head.starts_with("\x1f\x8b"sv)) return Compression::gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return Compression::zstd;
  // A skippable frame of zstd: 0x184D2A5?, little endian.
  if (head.size() >= 4 && head.substr(1, 3) == "\x2a\x4d\x18"sv &&
      (static_cast<unsigned char>(head[0]) & 0xf0U) == 0x50U) {
    return Compression::zstd;
  }
  return Compression::none;
}

std::unique_ptr<Decoder> make_decoder(Compression compression, RawSource& source) {
  switch (compression) {
    case Compression::none:
      return nullptr;
    case Compression::gzip:
      return std::make_unique<GzipDecoder>(source);
    case Compression::zstd:
      return std::make_unique<ZstdDecoder>(source);
  }
  return nullptr;
}

}  // namespace kr::trace
