#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/input_files.hpp"
#include "base/nearest.hpp"
#include "base/output_path.hpp"
#include "base/own_output.hpp"

namespace kr {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) {
  return std::strerror(error);
}

Error missing(const fs::path& path) {
  std::error_code error;
  if (const fs::path target = fs::read_symlink(path, error); !error) {
    return {path.string(), "is a link to `" + target.string() + "`, which does not exist",
            "fix the link or remove it"};
  }
  if (const auto near = near_file(path)) {
    return {path.string(), "no such file", "did you mean `" + *near + "`?"};
  }
  const fs::path folder = path.parent_path();
  if (!folder.empty() && !fs::exists(folder, error)) {
    return {path.string(), "no such file", "there is no folder `" + folder.string() + "`"};
  }
  return {path.string(), "no such file", "check the spelling of its name"};
}

/// Gives a file the owner and permissions of the one it replaces, if this user may.
bool keep_permissions(int descriptor, const struct stat& of) {
  mode_t mode = of.st_mode & 07777;
  struct stat own {};
  if (::fstat(descriptor, &own) != 0) return false;
  if (own.st_uid != of.st_uid && ::fchown(descriptor, of.st_uid, of.st_gid) != 0) mode &= 0777;
  if (own.st_gid != of.st_gid && ::fchown(descriptor, static_cast<uid_t>(-1), of.st_gid) != 0) {
    // What one group may do is not for another: that gets what everybody may.
    mode = (mode & 0707) | (mode & 07) << 3;
  }
  return ::fchmod(descriptor, mode) == 0;
}

}  // namespace

std::optional<std::string> near_file(const fs::path& path) {
  const fs::path folder = path.parent_path();
  std::vector<std::string> names;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder.empty() ? "." : folder, error);
       !error && at != fs::directory_iterator(); at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const auto near = nearest(path.filename().string(), names);
  return near ? std::optional((folder / *near).string()) : std::nullopt;
}

Error cannot_read(const fs::path& path, int code) {
  if (code == ENOENT) return missing(path);
  std::string remedy;
  if (code == EACCES) remedy = "change its permissions, or those of its folder";
  return {path.string(), reason(code), std::move(remedy)};
}

std::string read_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) throw cannot_read(path, errno);
  return read_file(file.number(), path);
}

std::string read_file(int descriptor, const fs::path& path, size_t most) {
  InputFiles::note(descriptor);
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    throw Error(path.string(), "is a folder, not a file", "name a file in it");
  }
  std::string bytes;
  size_t size = 0;
  const off_t behind = std::max<off_t>(::lseek(descriptor, 0, SEEK_CUR), 0);
  const auto expected = static_cast<size_t>(std::max<off_t>(info.st_size - behind, 0));
  bytes.resize(expected > 0 && expected <= most ? expected + 1 : 65536);
  while (true) {
    if (size > most || expected > most) {
      throw Error(path.string(),
                  fmt::format("is longer than {} MiB, the limit for such a file", most >> 20U),
                  "check that it is the right file, or split it");
    }
    if (size == bytes.size()) bytes.resize(2 * size);
    const ssize_t got = ::read(descriptor, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw cannot_read(path, errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

int write_all(int descriptor, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return 0;
}

PendingFile::PendingFile(fs::path path, Inputs inputs) : path_(std::move(path)), inputs_(inputs) {
  OutputPath out = open_output(path_);
  stream_ = std::move(out.stream);
  if (stream_.number() >= 0) return;
  file_ = std::move(out.file);
  check_inputs();
  // What replaces a file may be as private as that: it gets its permissions at the end.
  part_ = std::make_unique<PartFile>(file_, path_.string(), out.there ? 0600 : 0666);
}

PendingFile::PendingFile(fs::path path, Descriptor stream)
    : path_(std::move(path)), stream_(std::move(stream)) {}

PendingFile PendingFile::standard_output() {
  const int copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw Error("standard output", "cannot be written: " + reason(errno));
  return {"standard output", Descriptor(copy)};
}

void PendingFile::fail(std::string_view what, int code) const {
  throw Error(path_.string(), fmt::format("{}: {}", what, reason(code)));
}

void PendingFile::check_inputs() const {
  if (inputs_ == Inputs::replaced) return;
  struct stat info {};
  const int failed =
      file_.empty() ? ::fstat(stream_.number(), &info) : ::lstat(file_.c_str(), &info);
  if (failed == 0 && InputFiles::has(info)) {
    throw Error(path_.string(), "is a file that this run reads and would overwrite",
                "write to another file");
  }
}

std::optional<std::string> PendingFile::replaced_head() const {
  std::error_code error;
  if (file_.empty() || fs::file_size(file_, error) == 0 || error) return std::nullopt;
  return read_head(file_);
}

void PendingFile::write(std::string_view bytes) {
  const bool stream = file_.empty();
  if (stream && unread_) return;
  if (stream) check_inputs();
  const int code = write_all(stream ? stream_.number() : part_->descriptor(), bytes);
  unread_ = stream && code == EPIPE;
  if (code != 0 && !unread_) fail("cannot be written", code);
}

const fs::path& PendingFile::aside() {
  if (!part_) part_ = std::make_unique<PartFile>(temporary_folder() / "kr", path_.string(), 0600);
  return part_->path();
}

void PendingFile::copy_part() {
  // Opened anew: who wrote by path may have written another file of the name.
  const Descriptor from(::open(part_->path().c_str(), O_RDONLY | O_CLOEXEC));
  if (from.number() < 0) fail("cannot be copied from the temporary folder", errno);
  std::vector<char> block(size_t{64} << 10);
  while (true) {
    const ssize_t got = ::read(from.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot be copied from the temporary folder", errno);
    if (got == 0) return;
    write({block.data(), static_cast<size_t>(got)});
  }
}

void PendingFile::commit() {
  check_inputs();
  if (file_.empty()) {
    if (part_) copy_part();
    part_.reset();
    if (stream_.close() != 0 && !unread_) fail("cannot be written", errno);
    return;
  }
  struct stat there {};
  if (::lstat(file_.c_str(), &there) == 0) {
    if (!S_ISREG(there.st_mode)) {
      throw Error(path_.string(), "was replaced by something that is not a file", "run kr again");
    }
    if (!keep_permissions(part_->descriptor(), there)) {
      fail("cannot be given its permissions", errno);
    }
  }
  if (const int code = part_->put(file_); code != 0) fail("cannot be put in place", code);
  part_.reset();
}

void commit_all(const std::vector<PendingFile*>& files) {
  for (const PendingFile* file : files) file->check_inputs();
  for (PendingFile* file : files) file->commit();
}

void write_file(const fs::path& path, std::string_view bytes) {
  PendingFile file(path);
  file.write(bytes);
  file.commit();
}

void replace_file(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    throw Error(path.string(), "is not a regular file, so it is not rewritten", "name a file");
  }
  PendingFile file(path, PendingFile::Inputs::replaced);
  file.write(bytes);
  file.commit();
}

}  // namespace kr
