// Atoms to one Hyperscan database, and what Hyperscan can't be asked to other means.
#include "match/database.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "base/error.hpp"
#include "match/cache.hpp"

namespace kr {
namespace {

constexpr unsigned flags = HS_FLAG_DOTALL | HS_FLAG_SINGLEMATCH;

struct CompileErrorFree {
  void operator()(hs_compile_error_t* error) const noexcept { hs_free_compile_error(error); }
};

/// Compiles the patterns. On failure null, and `culprit` is the pattern at fault, or none's index
/// where it is all of them together.
HsDatabase compile_all(const std::vector<HyperscanPattern>& patterns, size_t& culprit) {
  std::vector<const char*> texts;
  std::vector<unsigned> ids;
  texts.reserve(patterns.size());
  ids.reserve(patterns.size());
  for (const HyperscanPattern& pattern : patterns) {
    texts.push_back(pattern.text.c_str());
    ids.push_back(pattern.atom.index);
  }
  const std::vector<unsigned> all_flags(patterns.size(), flags);
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  const hs_error_t result = hs_compile_multi(texts.data(), all_flags.data(), ids.data(),
                                             static_cast<unsigned>(patterns.size()), HS_MODE_BLOCK,
                                             nullptr, &database, &error);
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

/// Compiles what can be; the atoms of the others go to `refused`.
HsDatabase compile_most(std::vector<HyperscanPattern> patterns, std::vector<AtomId>& refused) {
  bool first = true;
  while (!patterns.empty()) {
    size_t culprit = 0;
    HsDatabase database = compile_all(patterns, culprit);
    if (database) return database;
    auto out = patterns.begin() + static_cast<std::ptrdiff_t>(culprit);
    if (culprit == patterns.size()) {
      // Together they are too large. The longest takes the most room.
      out = std::max_element(patterns.begin(), patterns.end(), [](const auto& a, const auto& b) {
        return a.text.size() < b.text.size();
      });
    }
    refused.push_back(out->atom);
    patterns.erase(out);
    if (!first) continue;
    // Where one is not taken there may be many: each is tried alone, rather than all once more for
    // every one of them.
    first = false;
    std::erase_if(patterns, [&](const HyperscanPattern& pattern) {
      size_t none = 0;
      if (compile_all({pattern}, none)) return false;
      refused.push_back(pattern.atom);
      return true;
    });
  }
  return nullptr;
}

template <class Function>
void each_atom(const Program& program, Function function) {
  uint32_t index = 0;
  for (const Atom& atom : program.atoms) function(AtomId{index++}, atom);
}

}  // namespace

std::vector<HyperscanPattern> hyperscan_patterns(const Program& program) {
  std::vector<HyperscanPattern> patterns;
  each_atom(program, [&](AtomId id, const Atom& atom) {
    switch (regex::vacuity(atom.regex)) {
      case regex::Vacuity::never:
        patterns.push_back({id, atom.hyperscan});
        return;
      case regex::Vacuity::always:
        return;
      case regex::Vacuity::empty_name:
      case regex::Vacuity::sometimes: {
        const auto rest = regex::without_empty(atom.regex);
        if (rest) patterns.push_back({id, regex::to_hyperscan(*rest)});
        return;
      }
    }
  });
  return patterns;
}

std::unique_ptr<Database::Impl> without_hyperscan(const Program& program,
                                                  std::vector<AtomId> refused) {
  auto impl = std::make_unique<Database::Impl>();
  impl->atoms = program.atoms.size();
  impl->always = AtomSet(impl->atoms);
  impl->in_empty_name = AtomSet(impl->atoms);
  each_atom(program, [&](AtomId id, const Atom& atom) {
    const regex::EmptyMatches empty(atom.regex);
    // The empty name has no match but an empty one.
    if (empty.any("")) impl->in_empty_name.add(id);
    const regex::Vacuity vacuity = empty.vacuity();
    if (vacuity == regex::Vacuity::always) impl->always.add(id);
    if (vacuity == regex::Vacuity::sometimes) impl->by_place.emplace_back(id, empty);
  });
  for (const AtomId id : refused) {
    // Sema has bounded every expression, and a text is no longer than its file.
    const regex::Nfa::Limits unlimited{std::numeric_limits<size_t>::max()};
    impl->by_nfa.emplace_back(id, *regex::Nfa::build(program.atoms.get(id).regex, unlimited));
  }
  impl->refused = std::move(refused);
  return impl;
}

void take_hyperscan(Database::Impl& impl, HsDatabase database) {
  if (!database) return;
  hs_scratch_t* scratch = nullptr;
  const hs_error_t result = hs_alloc_scratch(database.get(), &scratch);
  if (result == HS_NOMEM) throw std::bad_alloc();
  KR_CHECK(result == HS_SUCCESS);
  impl.scratch.reset(scratch);
  impl.hyperscan = std::move(database);
}

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

bool Database::from_cache() const noexcept {
  return impl_->from_cache;
}

std::string Database::version() {
  return hs_version();
}

std::shared_ptr<const Database> Database::compile(const Program& program,
                                                  const std::optional<Cache>& cache) {
  std::vector<HyperscanPattern> patterns = hyperscan_patterns(program);
  std::string key = database_key(patterns);
  const std::optional<DatabaseCache> files =
      cache ? std::optional<DatabaseCache>(DatabaseCache(cache->folder, key)) : std::nullopt;
  if (files) {
    if (auto impl = read_database(program, key, files->read())) {
      impl->from_cache = true;
      return std::make_shared<const Database>(std::move(impl));
    }
  }
  std::vector<AtomId> refused;
  HsDatabase hyperscan = compile_most(std::move(patterns), refused);
  auto impl = without_hyperscan(program, std::move(refused));
  take_hyperscan(*impl, std::move(hyperscan));
  impl->key = std::move(key);
  auto database = std::make_shared<const Database>(std::move(impl));
  if (files) files->write(database->serialize());
  return database;
}

std::shared_ptr<const Database> Database::of_automata(const Program& program,
                                                      std::shared_ptr<MatchMemo> memo) {
  auto impl = std::make_unique<Database::Impl>();
  impl->atoms = program.atoms.size();
  impl->always = AtomSet(impl->atoms);
  impl->memo = std::move(memo);
  impl->memo_program = &program;
  return std::make_shared<const Database>(std::move(impl));
}

std::shared_ptr<const Database> Database::deserialize(const Program& program,
                                                      std::string_view bytes) {
  auto impl = read_database(program, database_key(hyperscan_patterns(program)), bytes);
  return impl ? std::make_shared<const Database>(std::move(impl)) : nullptr;
}

}  // namespace kr
