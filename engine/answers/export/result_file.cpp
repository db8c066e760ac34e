#include "export/result_file.hpp"

#include <fmt/format.h>

#include <array>

#include "base/check.hpp"
#include "base/gzip.hpp"
#include "base/own_output.hpp"
#include "page/pages.hpp"

namespace kr::exports {
namespace {

using Tables = std::span<const Table>;

void write_terminal(Tables tables, const render::Bytes& out, const TableStyle& style) {
  render::terminal(tables, out, style.terminal);
}
void write_csv(Tables tables, const render::Bytes& out, const TableStyle& style) {
  render::csv(tables.front(), out, {.alias = style.alias});
}
void write_json(Tables tables, const render::Bytes& out, const TableStyle& /*style*/) {
  render::json(tables, out);
}
void write_json_lines(Tables tables, const render::Bytes& out, const TableStyle& /*style*/) {
  render::json_lines(tables, out);
}
void write_markdown(Tables tables, const render::Bytes& out, const TableStyle& /*style*/) {
  render::markdown(tables, out);
}
void write_page(Tables tables, const render::Bytes& out, const TableStyle& style) {
  out(page::tables_html(tables, style.title));
}
constexpr std::nullptr_t write_files = nullptr;

struct Writer {
  std::string_view format;
  void (*write)(Tables, const render::Bytes&, const TableStyle&);
};

constexpr std::array writers{
#define KR_RENDERER(name, ending, audience, content, mark, function) \
  Writer{#name, write_##function},
#include "render/renderers.def"
#undef KR_RENDERER
};

bool is_packed(const std::filesystem::path& path) {
  return path.extension() == ".gz";
}

}  // namespace

void write_tables(const render::Renderer& format, Tables tables, const render::Bytes& out,
                  const TableStyle& style) {
  for (const Writer& one : writers) {
    if (one.format != format.name) continue;
    KR_CHECK(one.write != nullptr);
    one.write(tables, out, style);
  }
}

std::string csv_begin(const table::Info& table, render::Alias alias) {
  if (alias != render::Alias::none) {
    return fmt::format("{},{},", table.alias[0].title, table.alias[1].title);
  }
  const std::vector<table::Column>& columns = table.columns;
  return columns.size() < 2 ? std::string() : fmt::format("{},{},", columns[0].id, columns[1].id);
}

ResultFile::ResultFile(const render::Renderer& format, PendingFile file)
    : format_(&format), file_(std::move(file)) {}

ResultFile::ResultFile(const render::Renderer& format, const std::filesystem::path& path,
                       bool force, std::string_view begin)
    : format_(&format),
      file_(format.content == render::Content::database && is_packed(path)
                ? throw Error(path.string(), "a database cannot be compressed",
                              "remove .gz from the name")
                : path) {
  if (!force) render::check_own(file_, begin);
}

ResultFile ResultFile::standard_output(const render::Renderer& format) {
  return {format, PendingFile::standard_output()};
}

void ResultFile::write(const std::function<void(const render::Bytes&)>& make) {
  const render::Bytes plain = [this](std::string_view bytes) { file_.write(bytes); };
  const auto marked = [&](const render::Bytes& out) {
    if (format_->name == "markdown") out(fmt::format("{}\n\n", own_comment));
    make(out);
  };
  if (!is_packed(file_.path())) return marked(plain);
  GzipWriter gzip(plain);
  marked([&gzip](std::string_view bytes) { gzip.write(bytes); });
  gzip.finish();
}

void ResultFile::write(Tables tables, const TableStyle& style) {
  if (format_->content == render::Content::database) {
    return render::sqlite(tables, file_.aside().string(), file_.path().string());
  }
  write([&](const render::Bytes& out) { write_tables(*format_, tables, out, style); });
}

}  // namespace kr::exports
