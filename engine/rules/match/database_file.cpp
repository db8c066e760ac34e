// Serializes a Database: database_magic, key, checksum, the refused atoms, Hyperscan's
// serialization. Cache files and .krdb files contain these bytes.
#include <cstdlib>

#include "base/bytes.hpp"
#include "match/database.hpp"

namespace kr::match {
namespace {

constexpr std::string_view database_magic = "kr database 3\n";

struct MallocFree {
  void operator()(char* bytes) const noexcept { std::free(bytes); }
};

std::string hyperscan_bytes(const hs_database_t* database) {
  if (database == nullptr) return {};
  char* bytes = nullptr;
  size_t size = 0;
  const hs_error_t result = hs_serialize_database(database, &bytes, &size);
  if (result == HS_NOMEM) throw std::bad_alloc();
  KR_CHECK(result == HS_SUCCESS);
  const std::unique_ptr<char, MallocFree> owned(bytes);
  return {bytes, size};
}

/// Reads the part after the header: the refused atoms, then Hyperscan's bytes.
std::optional<StoredDatabase> read_body(size_t atoms, std::string_view body) {
  ByteReader reader(body);
  const auto count = reader.number();
  if (!count || *count > atoms) return std::nullopt;
  StoredDatabase stored;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto index = reader.number();
    if (!index || *index >= atoms) return std::nullopt;
    stored.refused.push_back(static_cast<uint32_t>(*index));
  }
  const auto serialized = reader.text();
  if (!serialized || reader.left() != 0) return std::nullopt;
  if (!serialized->empty()) {
    hs_database_t* database = nullptr;
    const hs_error_t result =
        hs_deserialize_database(serialized->data(), serialized->size(), &database);
    if (result == HS_NOMEM) throw std::bad_alloc();
    if (result != HS_SUCCESS) return std::nullopt;
    stored.hyperscan.reset(database);
  }
  return stored;
}

hs_platform_info_t platform_of(Processor processor) {
  hs_platform_info_t platform{};  // zero: any processor
  if (processor == Processor::this_one) KR_CHECK(hs_populate_platform(&platform) == HS_SUCCESS);
  return platform;
}

}  // namespace

std::string database_key(std::span<const std::string_view> atoms, Processor processor) {
  const hs_platform_info_t platform = platform_of(processor);
  ByteWriter key;
  key.text(database_magic);
  key.text(hs_version());
  key.number(platform.tune);
  key.number(platform.cpu_features);
  key.number(atoms.size());
  for (const std::string_view atom : atoms) key.text(atom);
  return std::move(key).take();
}

std::string database_key(const sema::Program& program, Processor processor) {
  std::vector<std::string_view> atoms;
  atoms.reserve(program.atoms.size());
  for (const sema::Atom& atom : program.atoms) atoms.emplace_back(atom.hyperscan);
  return database_key(atoms, processor);
}

std::string to_bytes(const std::string& key, std::span<const uint32_t> refused,
                     const hs_database_t* hyperscan) {
  ByteWriter body;
  body.number(refused.size());
  for (const uint32_t atom : refused) body.number(atom);
  body.text(hyperscan_bytes(hyperscan));
  ByteWriter file;
  file.text(database_magic);
  file.text(key);
  file.checked(std::move(body).take());
  return std::move(file).take();
}

std::string Database::serialize() const {
  KR_CHECK(is_whole());
  std::vector<uint32_t> refused;
  for (const sema::AtomId atom : impl_->refused) refused.push_back(atom.index);
  return to_bytes(impl_->key, refused, impl_->hyperscan.get());
}

std::optional<StoredDatabase> stored_database(const std::string& key, size_t atoms,
                                              std::string_view bytes) {
  ByteReader reader(bytes);
  if (reader.text() != database_magic || reader.text() != key) return std::nullopt;
  const auto body = reader.checked();
  return body ? read_body(atoms, *body) : std::nullopt;
}

std::shared_ptr<const Database> read_database(const sema::Program& program, const std::string& key,
                                              std::string_view bytes) {
  std::optional<StoredDatabase> stored = stored_database(key, program.atoms.size(), bytes);
  if (!stored) return nullptr;
  std::vector<sema::AtomId> refused;
  for (const uint32_t atom : stored->refused) refused.push_back({atom});
  auto impl = without_hyperscan(program, std::move(refused));
  take_hyperscan(*impl, &Database::Impl::hyperscan, std::move(stored->hyperscan));
  impl->key = key;
  return std::make_shared<const Database>(std::move(impl));
}

std::optional<ShippedDatabase> shipped_database(std::string_view bytes) {
  ByteReader reader(bytes);
  if (reader.text() != database_magic) return std::nullopt;
  ByteReader key(reader.text().value_or(""));
  const bool same_version = key.text() == database_magic && key.text() == hs_version();
  const bool for_all = key.number() == 0U && key.number() == 0U;
  const auto count = key.number();
  if (!same_version || !for_all || !count || *count > bytes.size()) return std::nullopt;
  ShippedDatabase shipped;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto atom = key.text();
    if (!atom) return std::nullopt;
    shipped.atoms.emplace_back(*atom);
  }
  const auto body = reader.checked();
  auto stored = body && key.left() == 0 ? read_body(shipped.atoms.size(), *body) : std::nullopt;
  if (!stored) return std::nullopt;
  shipped.stored = std::move(*stored);
  return shipped;
}

}  // namespace kr::match
