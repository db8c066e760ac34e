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

std::string hyperscan_bytes(const Database::Impl& impl) {
  if (!impl.hyperscan) return {};
  char* bytes = nullptr;
  size_t size = 0;
  const hs_error_t result = hs_serialize_database(impl.hyperscan.get(), &bytes, &size);
  if (result == HS_NOMEM) throw std::bad_alloc();
  KR_CHECK(result == HS_SUCCESS);
  const std::unique_ptr<char, MallocFree> owned(bytes);
  return {bytes, size};
}

/// Reads the part after the header: the refused atoms, then Hyperscan's bytes. Null: it is wrong.
std::unique_ptr<Database::Impl> read_body(const sema::Program& program, std::string_view body) {
  ByteReader reader(body);
  const auto count = reader.number();
  if (!count || *count > program.atoms.size()) return nullptr;
  std::vector<sema::AtomId> refused;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto index = reader.number();
    if (!index || *index >= program.atoms.size()) return nullptr;
    refused.push_back({static_cast<uint32_t>(*index)});
  }
  const auto serialized = reader.text();
  if (!serialized || reader.left() != 0) return nullptr;
  HsDatabase hyperscan;
  if (!serialized->empty()) {
    hs_database_t* database = nullptr;
    const hs_error_t result =
        hs_deserialize_database(serialized->data(), serialized->size(), &database);
    if (result == HS_NOMEM) throw std::bad_alloc();
    if (result != HS_SUCCESS) return nullptr;
    hyperscan.reset(database);
  }
  auto impl = without_hyperscan(program, std::move(refused));
  take_hyperscan(*impl, std::move(hyperscan));
  return impl;
}

}  // namespace

std::string database_key(const sema::Program& program, Processor processor) {
  hs_platform_info_t platform{};  // zero: any processor
  if (processor == Processor::this_one) KR_CHECK(hs_populate_platform(&platform) == HS_SUCCESS);
  ByteWriter key;
  key.text(database_magic);
  key.text(hs_version());
  key.number(platform.tune);
  key.number(platform.cpu_features);
  key.number(program.atoms.size());
  for (const sema::Atom& atom : program.atoms) key.text(atom.hyperscan);
  return std::move(key).take();
}

std::string Database::serialize() const {
  ByteWriter body;
  body.number(impl_->refused.size());
  for (const sema::AtomId atom : impl_->refused) body.number(atom.index);
  body.text(hyperscan_bytes(*impl_));
  ByteWriter file;
  file.text(database_magic);
  file.text(impl_->key);
  file.checked(std::move(body).take());
  return std::move(file).take();
}

std::shared_ptr<const Database> read_database(const sema::Program& program, const std::string& key,
                                              std::string_view bytes) {
  ByteReader reader(bytes);
  if (reader.text() != database_magic || reader.text() != key) return nullptr;
  const auto body = reader.checked();
  if (!body) return nullptr;
  auto impl = read_body(program, *body);
  if (!impl) return nullptr;
  impl->key = key;
  return std::make_shared<const Database>(std::move(impl));
}

}  // namespace kr::match
