// Compiles atoms to one Hyperscan database, and handles the atoms that Hyperscan cannot match.
#include "match/database.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <unordered_map>

#include "base/error.hpp"
#include "match/cache.hpp"

namespace kr::match {
namespace {

constexpr std::string_view database_extension = ".krhs";
/// The key of the file with the database of all shipped rules: so it is found whatever they are.
constexpr std::string_view shipped_key = "the shipped rules";
/// Fewer patterns are compiled in less time than this file is read in.
constexpr size_t min_shipped = 200;
constexpr unsigned flags = HS_FLAG_DOTALL | HS_FLAG_SINGLEMATCH;

struct CompileErrorFree {
  void operator()(hs_compile_error_t* error) const noexcept { hs_free_compile_error(error); }
};

struct ExprInfoFree {
  void operator()(hs_expr_info_t* info) const noexcept { std::free(info); }
};

/// Compiles the patterns. On failure returns null, and `culprit` is the index of the wrong pattern,
/// or the number of patterns if all of them together are too large.
HsDatabase compile_all(const std::vector<HyperscanPattern>& patterns, Processor processor,
                       size_t& culprit) {
  std::vector<const char*> texts;
  std::vector<unsigned> ids;
  texts.reserve(patterns.size());
  ids.reserve(patterns.size());
  for (const HyperscanPattern& pattern : patterns) {
    texts.push_back(pattern.text.c_str());
    ids.push_back(pattern.atom.index);
  }
  const std::vector<unsigned> all_flags(patterns.size(), flags);
  const hs_platform_info_t any{};
  const hs_platform_info_t* platform = processor == Processor::any ? &any : nullptr;
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  const hs_error_t result = hs_compile_multi(texts.data(), all_flags.data(), ids.data(),
                                             static_cast<unsigned>(patterns.size()), HS_MODE_BLOCK,
                                             platform, &database, &error);
  if (result == HS_SUCCESS) return HsDatabase(database);
  const std::unique_ptr<hs_compile_error_t, CompileErrorFree> owned(error);
  if (result == HS_ARCH_ERROR) {
    throw Error("", "this processor lacks instructions that Hyperscan needs (SSSE3)",
                "run kr on a newer one");
  }
  KR_CHECK(result == HS_COMPILER_ERROR && error != nullptr);
  culprit = error->expression >= 0 ? static_cast<size_t>(error->expression) : patterns.size();
  return nullptr;
}

/// Compiles the patterns that Hyperscan accepts; the atoms of the others go to `refused`.
HsDatabase compile_most(std::vector<HyperscanPattern> patterns, Processor processor,
                        std::vector<sema::AtomId>& refused) {
  bool first = true;
  while (!patterns.empty()) {
    size_t culprit = 0;
    HsDatabase database = compile_all(patterns, processor, culprit);
    if (database) return database;
    auto out = patterns.begin() + static_cast<std::ptrdiff_t>(culprit);
    if (culprit == patterns.size()) {
      // Together they are too large: remove the longest.
      out = std::ranges::max_element(
          patterns, [](const auto& a, const auto& b) { return a.text.size() < b.text.size(); });
    }
    refused.push_back(out->atom);
    patterns.erase(out);
    if (!first) continue;
    // If one pattern is refused there may be many: compile each alone, instead of all again for
    // every refused one.
    first = false;
    std::erase_if(patterns, [&](const HyperscanPattern& pattern) {
      size_t none = 0;
      if (compile_all({pattern}, processor, none)) return false;
      refused.push_back(pattern.atom);
      return true;
    });
  }
  return nullptr;
}

template <class Function>
void each_atom(const sema::Program& program, Function function) {
  uint32_t index = 0;
  for (const sema::Atom& atom : program.atoms) function(sema::AtomId{index++}, atom);
}

}  // namespace

bool may_leave_hyperscan(const regex::Regex& regex) {
  // At usual sizes, Hyperscan refuses only expressions that match nothing (tests/property/match).
  constexpr uint64_t usual = 1000;
  constexpr uint64_t large = 8000;  // compiles in one or two seconds, if at all
  const auto accepted = [](const regex::Regex& one) {
    return regex::state_count(one) <= usual && regex::anchored_at_edges(one);
  };
  if (accepted(regex) || regex::vacuity(regex) == regex::Vacuity::always) return false;
  const auto rest = regex::to_edges(regex);
  if (!rest || accepted(*rest)) return false;  // it matches nothing, or only the empty name
  if (regex::state_count(*rest) > large || !regex::anchored_at_edges(*rest)) return true;
  hs_expr_info_t* info = nullptr;
  hs_compile_error_t* error = nullptr;
  hs_expression_info(regex::to_hyperscan(*rest).c_str(), flags, &info, &error);
  const std::unique_ptr<hs_expr_info_t, ExprInfoFree> owned_info(info);
  const std::unique_ptr<hs_compile_error_t, CompileErrorFree> owned_error(error);
  return error != nullptr;
}

std::vector<HyperscanPattern> hyperscan_patterns(const sema::Program& program) {
  std::vector<HyperscanPattern> patterns;
  each_atom(program, [&](sema::AtomId id, const sema::Atom& atom) {
    const regex::Vacuity vacuity = regex::vacuity(atom.regex);
    if (vacuity == regex::Vacuity::always) return;
    if (vacuity == regex::Vacuity::never && regex::anchored_at_edges(atom.regex)) {
      patterns.push_back({id, atom.hyperscan});
    } else if (const auto rest = regex::to_edges(atom.regex)) {
      patterns.push_back({id, regex::to_hyperscan(*rest)});
    }
  });
  return patterns;
}

namespace {

void set_own(const sema::Program& program, Database::Impl& impl) {
  bool any = false;
  impl.own = AtomSet(impl.atoms);
  impl.not_own = AtomSet(impl.atoms);
  each_atom(program, [&](sema::AtomId id, const sema::Atom& atom) {
    (atom.own ? impl.own : impl.not_own).add(id);
    any |= atom.own;
  });
  if (!any) impl.own = AtomSet();
}

/// An Impl with the constants and places.
std::unique_ptr<Database::Impl> answered_without_hyperscan(const sema::Program& program) {
  auto impl = std::make_unique<Database::Impl>();
  impl->atoms = program.atoms.size();
  impl->always = AtomSet(impl->atoms);
  impl->in_empty_name = AtomSet(impl->atoms);
  set_own(program, *impl);
  each_atom(program, [&](sema::AtomId id, const sema::Atom& atom) {
    const regex::Places empty = regex::empty_places(atom.regex);
    // The empty name has only empty matches.
    if ((empty & regex::places_of("")) != 0) impl->in_empty_name.add(id);
    const regex::Vacuity vacuity = regex::vacuity(empty);
    if (vacuity == regex::Vacuity::always) impl->always.add(id);
    if (vacuity == regex::Vacuity::sometimes) impl->by_place.emplace_back(id, empty);
  });
  return impl;
}

void make_automata(const sema::Program& program, const std::vector<sema::AtomId>& atoms,
                   std::unique_ptr<const regex::NfaUnion>& into) {
  std::vector<regex::Nfa> automata;
  automata.reserve(atoms.size());
  for (const sema::AtomId id : atoms) automata.emplace_back(program.atoms.get(id).regex);
  into = std::make_unique<const regex::NfaUnion>(automata);
}

}  // namespace

std::unique_ptr<Database::Impl> without_hyperscan(const sema::Program& program,
                                                  std::vector<sema::AtomId> refused) {
  auto impl = answered_without_hyperscan(program);
  if (!refused.empty()) make_automata(program, refused, impl->refused_automata);
  impl->refused = std::move(refused);
  return impl;
}

const regex::NfaUnion& Database::Impl::automata() const {
  std::call_once(made, [this] {
    if (!refused_automata) make_automata(*program, refused, refused_automata);
  });
  return *refused_automata;
}

void take_hyperscan(Database::Impl& impl, HsDatabase Database::Impl::*member, HsDatabase database) {
  if (!database) return;
  hs_scratch_t* scratch = impl.scratch.release();
  const hs_error_t result = hs_alloc_scratch(database.get(), &scratch);
  impl.scratch.reset(scratch);
  if (result == HS_NOMEM) throw std::bad_alloc();
  KR_CHECK(result == HS_SUCCESS);
  impl.*member = std::move(database);
}

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

std::string Database::version() {
  return hs_version();
}

namespace {

Processor processor_of(const std::optional<Database::Cache>& cache) {
  return cache && cache->any_processor ? Processor::any : Processor::this_one;
}

std::shared_ptr<const Database> find_whole(const sema::Program& program,
                                           const Database::Cache& cache) {
  if (const auto made = cache.install.databases(); !made.empty()) {
    const std::string key = database_key(program, Processor::any);
    const CacheFile file(made, key, database_extension);
    const std::string bytes = file.read_installed(cache.install);
    if (auto database = read_database(program, key, bytes)) return database;
  }
  if (cache.folder.empty()) return nullptr;
  const std::string key = database_key(program, processor_of(cache));
  return read_database(program, key, CacheFile(cache.folder, key, database_extension).read());
}

/// The database for some atoms of the program, by their places in `atoms`: from the cache, or
/// compiled. None: it is not in the cache.
std::optional<StoredDatabase> some_atoms(const sema::Program& program,
                                         const std::vector<sema::AtomId>& atoms,
                                         const Database::Cache& cache, bool may_compile) {
  std::vector<std::string_view> texts;
  texts.reserve(atoms.size());
  for (const sema::AtomId id : atoms) texts.emplace_back(program.atoms.get(id).hyperscan);
  const std::string key = database_key(texts, Processor::this_one);
  const CacheFile file(cache.folder, key, database_extension);
  if (!cache.folder.empty()) {
    if (auto stored = stored_database(key, atoms.size(), file.read())) return stored;
  }
  if (!may_compile) return std::nullopt;
  std::vector<HyperscanPattern> patterns = hyperscan_patterns(program);
  const auto place = [&](sema::AtomId id) { return std::ranges::lower_bound(atoms, id); };
  std::erase_if(patterns, [&](const HyperscanPattern& one) {
    const auto at = place(one.atom);
    return at == atoms.end() || *at != one.atom;
  });
  for (HyperscanPattern& one : patterns) {
    one.atom = {static_cast<uint32_t>(place(one.atom) - atoms.begin())};
  }
  StoredDatabase stored;
  std::vector<sema::AtomId> refused;
  stored.hyperscan = compile_most(std::move(patterns), Processor::this_one, refused);
  for (const sema::AtomId id : refused) stored.refused.push_back(id.index);
  if (!cache.folder.empty()) file.write(to_bytes(key, stored.refused, stored.hyperscan.get()));
  return stored;
}

/// The shipped database for its atoms, one of their own for the others. Null: the installation has
/// none, or too few of the atoms; or the other atoms would have to be compiled, and may not be.
std::shared_ptr<const Database> with_shipped(const sema::Program& program,
                                             const Database::Cache& cache, bool may_compile) {
  const auto made = cache.install.databases();
  if (made.empty() || cache.any_processor || program.atoms.size() < min_shipped) return nullptr;
  const CacheFile file(made, shipped_key, database_extension);
  std::optional<ShippedDatabase> shipped = shipped_database(file.read_installed(cache.install));
  if (!shipped) return nullptr;
  // A text may be an atom twice: of whole names, and of functions' own names.
  std::unordered_multimap<std::string_view, uint32_t> numbers;
  for (uint32_t i = 0; i < shipped->atoms.size(); ++i) numbers.emplace(shipped->atoms[i], i);
  std::vector<sema::AtomId> shipped_atoms(shipped->atoms.size());
  std::vector<sema::AtomId> own_atoms;
  each_atom(program, [&](sema::AtomId id, const sema::Atom& atom) {
    const auto at = numbers.find(atom.hyperscan);
    if (at == numbers.end()) {
      own_atoms.push_back(id);
      return;
    }
    shipped_atoms[at->second] = id;
    numbers.erase(at);
  });
  if (program.atoms.size() - own_atoms.size() < min_shipped) return nullptr;
  StoredDatabase own;
  if (!own_atoms.empty()) {
    auto stored = some_atoms(program, own_atoms, cache, may_compile);
    if (!stored) return nullptr;
    own = std::move(*stored);
  }
  std::vector<sema::AtomId> refused;
  for (const uint32_t i : own.refused) refused.push_back(own_atoms[i]);
  for (const uint32_t i : shipped->stored.refused) {
    if (shipped_atoms[i].valid()) refused.push_back(shipped_atoms[i]);
  }
  auto impl = without_hyperscan(program, std::move(refused));
  take_hyperscan(*impl, &Database::Impl::shipped, std::move(shipped->stored.hyperscan));
  take_hyperscan(*impl, &Database::Impl::hyperscan, std::move(own.hyperscan));
  impl->shipped_atoms = std::move(shipped_atoms);
  impl->own_atoms = std::move(own_atoms);
  return std::make_shared<const Database>(std::move(impl));
}

}  // namespace

std::shared_ptr<const Database> Database::find(const sema::Program& program, const Cache& cache) {
  if (auto database = find_whole(program, cache)) return database;
  return with_shipped(program, cache, false);
}

std::shared_ptr<const Database> Database::compile(const sema::Program& program,
                                                  const std::optional<Cache>& cache) {
  if (!cache) return compile_whole(program, cache);
  if (auto database = find_whole(program, *cache)) return database;
  if (auto database = with_shipped(program, *cache, true)) return database;
  return compile_whole(program, cache);
}

std::shared_ptr<const Database> Database::compile_whole(const sema::Program& program,
                                                        const std::optional<Cache>& cache) {
  if (auto database = cache ? find_whole(program, *cache) : nullptr) return database;
  const Processor processor = processor_of(cache);
  std::vector<sema::AtomId> refused;
  HsDatabase hyperscan = compile_most(hyperscan_patterns(program), processor, refused);
  auto impl = without_hyperscan(program, std::move(refused));
  take_hyperscan(*impl, &Database::Impl::hyperscan, std::move(hyperscan));
  impl->key = database_key(program, processor);
  auto database = std::make_shared<const Database>(std::move(impl));
  if (cache && !cache->folder.empty()) {
    CacheFile(cache->folder, database->impl().key, database_extension).write(database->serialize());
  }
  return database;
}

bool Database::is_whole() const noexcept {
  return !impl_->shipped;
}

bool Database::write_shipped(const std::filesystem::path& folder) const {
  const CacheFile file(folder, shipped_key, database_extension);
  const std::string bytes = serialize();
  file.write(bytes);
  return file.read() == bytes;
}

std::shared_ptr<const Database> Database::of_automata(const sema::Program& program) {
  std::vector<sema::AtomId> all;
  each_atom(program, [&](sema::AtomId id, const sema::Atom& atom) {
    if (regex::vacuity(atom.regex) != regex::Vacuity::always) all.push_back(id);
  });
  auto impl = answered_without_hyperscan(program);
  impl->refused = std::move(all);
  impl->program = &program;
  return std::make_shared<const Database>(std::move(impl));
}

std::shared_ptr<const Database> Database::of_automata(const sema::Program& program,
                                                      std::shared_ptr<MatchMemo> memo) {
  auto impl = std::make_unique<Database::Impl>();
  impl->atoms = program.atoms.size();
  impl->always = AtomSet(impl->atoms);
  set_own(program, *impl);
  impl->memo = std::move(memo);
  impl->memo_program = &program;
  return std::make_shared<const Database>(std::move(impl));
}

std::shared_ptr<const Database> Database::deserialize(const sema::Program& program,
                                                      std::string_view bytes) {
  for (const Processor processor : {Processor::this_one, Processor::any}) {
    auto database = read_database(program, database_key(program, processor), bytes);
    if (database) return database;
  }
  return nullptr;
}

}  // namespace kr::match
