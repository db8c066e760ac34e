#include "match/krdb.hpp"

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace kr::match {
namespace {

// A non-ASCII byte, a carriage return and a line feed: a transfer as text would change these.
constexpr std::string_view krdb_magic = "\x8bkrdb\r\n\n";
constexpr uint64_t format_version = 2;

void write_file(const sema::LoadedRules& rules, const sema::LoadedFile& file, ByteWriter& out) {
  out.text(rules.sources.path(file.file));
  out.text(rules.sources.text(file.file));
  out.number(file.root ? 1 : 0);
  out.number(file.uses.size());
  for (const sema::LoadedFile::Used& used : file.uses) {
    out.text(used.name);
    out.number(used.file.index);
  }
}

/// The body of a .krdb, or nothing if it is not well formed.
std::optional<KrdbContents> read_body(std::string_view body) {
  ByteReader in(body);
  const auto files = in.number();
  // Every file takes some bytes, so there cannot be more files than bytes.
  if (!files || *files > body.size()) return std::nullopt;
  KrdbContents contents;
  for (uint64_t i = 0; i < *files; ++i) {
    const auto path = in.text();
    const auto text = in.text();
    const auto root = in.number();
    const auto uses = in.number();
    if (!uses || *uses > body.size()) return std::nullopt;
    sema::SourceFile file{std::string(*path), std::string(*text), *root != 0, {}};
    for (uint64_t j = 0; j < *uses; ++j) {
      const auto name = in.text();
      const auto index = in.number();
      if (!index || *index >= *files) return std::nullopt;
      file.uses.emplace_back(*name, *index);
    }
    contents.files.push_back(std::move(file));
  }
  const auto database = in.text();
  if (!database || in.left() != 0) return std::nullopt;
  contents.database = *database;
  return contents;
}

}  // namespace

std::string to_krdb(const sema::LoadedRules& rules, const Database& database) {
  ByteWriter body;
  body.number(rules.files.size());
  for (const sema::LoadedFile& file : rules.files) write_file(rules, file, body);
  body.text(database.is_whole()
                ? database.serialize()
                : Database::compile_whole(rules.program, std::nullopt)->serialize());
  ByteWriter out;
  out.number(format_version);
  out.checked(std::move(body).take());
  return std::string(krdb_magic) + std::move(out).take();
}

bool is_krdb(std::string_view bytes) noexcept {
  return bytes.starts_with(krdb_magic);
}

KrdbContents from_krdb(const std::string& path, std::string_view bytes) {
  const std::string remedy = "create it again with `kr compile`";
  if (!is_krdb(bytes)) throw Error(path, "is not a .krdb file", remedy);
  ByteReader in(bytes.substr(krdb_magic.size()));
  const auto version = in.number();
  if (version && *version != format_version) {
    throw Error(path,
                fmt::format("has version {} of the format, but this kr reads version {}", *version,
                            format_version),
                remedy);
  }
  const auto checksum = in.hash();
  const auto body = in.text();
  if (!body) {
    throw Error(path, {.line = std::nullopt, .offset = bytes.size()}, "is cut off here", remedy);
  }
  auto contents = hash128(*body) == checksum && in.left() == 0 ? read_body(*body) : std::nullopt;
  if (!contents) throw Error(path, "is damaged: its checksum does not match", remedy);
  return std::move(*contents);
}

}  // namespace kr::match
