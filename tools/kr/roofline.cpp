#include "roofline.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "picture/roofline_tables.hpp"
#include "render/renderers.hpp"

namespace kr::cli {
namespace {

constexpr std::string_view svg_ending = ".svg", png_ending = ".png";

}  // namespace

void RooflineOptions::add_to(CLI::App& app) {
  app.add_option(
         "--roofline", file,
         "Draw the roofline of the run as FILE.svg or FILE.png, from the pages of --ncu and "
         "from shapes of ops")
      ->type_name("FILE");
}

RooflineFile::RooflineFile(const RooflineOptions& options, bool force) {
  if (options.file.empty()) return;
  const std::string ending = std::filesystem::path(options.file).extension().string();
  if (ending != svg_ending && ending != png_ending) {
    throw Error("", fmt::format("--roofline: `{}` is neither .svg nor .png", options.file),
                "name a file such as roofline.svg");
  }
  file_.emplace(options.file);
  if (!force) render::check_own(*file_);
}

void RooflineFile::write(const table::Table& roofline, const table::Table* roofs,
                         const std::vector<picture::LabelStyle>& styles, std::string_view dimension,
                         Streams& streams) {
  if (!file_) return;
  const picture::Roofline made = picture::roofline_of(roofline, roofs, styles, dimension);
  file_->write(file_->path().extension() == png_ending ? picture::roofline_png(made)
                                                       : picture::roofline_svg(made));
  file_->commit();
  streams.note(fmt::format("wrote {}", file_->path().string()));
}

}  // namespace kr::cli
