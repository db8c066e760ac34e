#include "support.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/check.hpp"
#include "base/error.hpp"

namespace kr::test {

Folder::Folder() : path_((std::filesystem::temp_directory_path() / "kr-test-XXXXXX").string()) {
  KR_CHECK(::mkdtemp(path_.data()) != nullptr);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(std::string_view name, std::string_view bytes) const {
  std::ofstream file(path(name), std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  KR_CHECK(file.good());
  return path(name);
}

std::string dump(const trace::Trace& trace) {
  std::string out;
  for (const trace::Operation& operation : trace.operations) {
    const trace::OperationName& name = trace.names.get(operation.name);
    const trace::Track& track = trace.track(operation.track);
    out +=
        fmt::format("{} {} {} {} ({}) {} {}\n", operation.start_ns, operation.duration_ns,
                    to_string(name.kind), track.device_name, track.device, track.stream, name.text);
  }
  return out;
}

std::string error_of(const std::string& path, const trace::OpenOptions& options) {
  try {
    trace::open_trace(path, options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string gzip(std::string_view bytes) {
  std::string out(bytes.size() + bytes.size() / 100 + 64, '\0');
  z_stream stream{};
  constexpr int gzip_wrapped = 16 + MAX_WBITS;
  KR_CHECK(deflateInit2(&stream, 6, Z_DEFLATED, gzip_wrapped, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string input(bytes);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  KR_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  KR_CHECK(ZSTD_isError(size) == 0);
  out.resize(size);
  return out;
}

}  // namespace kr::test
