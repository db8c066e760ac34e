// The opened source that a reader reads from: the text of a trace, decompressed on the way, in
// blocks of the reader's choosing, or the entries of a folder. Only the first 4 KiB are kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/decoder.hpp"
#include "trace/open.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class Input {
 public:
  /// What formats are identified by.
  static constexpr size_t head_size = 4096;

  /// `path` `-` is standard input. Throws Error. The options have to live as long.
  Input(const std::string& path, const OpenOptions& options);
  /// Bytes in memory, which have to live as long.
  Input(std::string_view bytes, std::string shown, const OpenOptions& options);

  /// As given, `-` for standard input.
  const std::string& path() const noexcept { return path_; }
  /// As shown in errors.
  const std::string& shown() const noexcept { return source_.shown(); }
  const OpenOptions& options() const noexcept { return *options_; }
  /// The first 4 KiB of the text, or all of it where it is shorter. They are read again by `read`.
  std::string_view head() const noexcept { return head_; }
  Compression compression() const noexcept { return compression_; }
  /// A file that others can open under `path`, and would find the same text in.
  bool plain_file() const noexcept;

  bool folder() const noexcept { return source_.folder(); }
  struct Entry {
    std::string name;
    std::string path;
    std::filesystem::file_type type;
  };
  /// What a folder contains, by name. Throws Error.
  std::vector<Entry> entries() const;

  /// Fills `to`; less than `room` only at the end. Throws Error: unreadable, damaged, and, unless
  /// truncated files are allowed, cut off.
  size_t read(char* to, size_t room);
  /// Passes over text; of a file that is not packed, without reading it.
  void skip(uint64_t bytes);
  /// Bytes of decompressed text read so far.
  uint64_t offset() const noexcept { return offset_; }
  /// The end was reached, and the compressed stream was cut off there.
  bool truncated() const noexcept { return decoder_ && decoder_->truncated(); }

 private:
  void begin();
  size_t read_some(char* to, size_t room);

  std::string path_;
  RawSource source_;
  const OpenOptions* options_;
  Compression compression_ = Compression::none;
  std::unique_ptr<Decoder> decoder_;  // null: it is not packed
  std::string head_;
  uint64_t offset_ = 0;
};

/// How a path is shown to a person.
std::string shown_path(const std::string& path);

}  // namespace kr::trace
