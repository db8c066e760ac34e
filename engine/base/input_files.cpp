#include "base/input_files.hpp"

#include <atomic>

#include "base/check.hpp"

namespace kr {
namespace {

std::atomic<InputFiles*> current = nullptr;

}  // namespace

InputFiles::InputFiles() {
  InputFiles* none = nullptr;
  KR_CHECK(current.compare_exchange_strong(none, this));
}

InputFiles::~InputFiles() {
  current = nullptr;
}

void InputFiles::add(const struct stat& file) {
  if (!S_ISREG(file.st_mode)) return;
  const std::lock_guard lock(mutex_);
  files_.emplace(file.st_dev, file.st_ino);
}

void InputFiles::note(int descriptor) {
  struct stat file {};
  InputFiles* const files = current;
  if (files != nullptr && ::fstat(descriptor, &file) == 0) files->add(file);
}

void InputFiles::note(const std::filesystem::path& path) {
  struct stat file {};
  InputFiles* const files = current;
  if (files != nullptr && ::stat(path.c_str(), &file) == 0) files->add(file);
}

bool InputFiles::has(const struct stat& file) {
  InputFiles* const files = current;
  if (files == nullptr || !S_ISREG(file.st_mode)) return false;
  const std::lock_guard lock(files->mutex_);
  return files->files_.contains({file.st_dev, file.st_ino});
}

bool InputFiles::has(const std::filesystem::path& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && has(file);
}

}  // namespace kr
