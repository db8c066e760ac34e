#include "base/error.hpp"

#include <fmt/format.h>

#include "base/check.hpp"

namespace kr {

Error::Error(std::string path, Place place, std::string why, std::string remedy)
    : path_(std::move(path)), place_(place), why_(std::move(why)), remedy_(std::move(remedy)) {
  if (!path_.empty()) text_ += path_;
  if (place_.line) text_ += fmt::format("{}{}", path_.empty() ? "line " : ":", *place_.line);
  if (!text_.empty()) text_ += ": ";
  if (place_.offset) text_ += fmt::format("at byte {}: ", *place_.offset);
  text_ += why_;
  if (!remedy_.empty()) text_ += "; " + remedy_;
}

InternalError::InternalError(const char* condition, const char* file, int line)
    : std::logic_error(fmt::format(
          "internal error: `{}` is false ({}:{}); this is a defect of kr, please report it",
          condition, file, line)),
      condition_(condition),
      file_(file),
      line_(line) {}

void detail::check_failed(const char* condition, const char* file, int line) {
  throw InternalError(condition, file, line);
}

}  // namespace kr
