#include "classify/matched_names.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "base/in_parallel.hpp"

namespace kr::classify {
namespace {

/// Sets of atoms, each once.
class Sets {
 public:
  uint32_t number(const std::vector<sema::AtomId>& atoms) {
    std::string_view key;
    if (!atoms.empty()) {
      key = {reinterpret_cast<const char*>(atoms.data()), atoms.size() * sizeof(sema::AtomId)};
    }
    const auto [at, added] =
        numbers_.try_emplace(std::string(key), static_cast<uint32_t>(sets_.size()));
    if (added) sets_.push_back(atoms);
    return at->second;
  }
  const std::vector<std::vector<sema::AtomId>>& all() const noexcept { return sets_; }
  std::vector<std::vector<sema::AtomId>> take() && { return std::move(sets_); }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;  // by the bytes of the list
  std::vector<std::vector<sema::AtomId>> sets_;
};

struct Part {
  Sets sets;
  std::vector<uint32_t> set_of_name;  // by name of the part
};

void list_atoms(const match::AtomSet& set, std::vector<sema::AtomId>& atoms) {
  atoms.clear();
  const auto words = set.words();
  for (size_t i = 0; i < words.size(); ++i) {
    for (uint64_t word = words[i]; word != 0; word &= word - 1) {
      atoms.push_back(
          {static_cast<uint32_t>(64 * i) + static_cast<uint32_t>(std::countr_zero(word))});
    }
  }
}

void scan_part(const std::shared_ptr<const match::Database>& database, size_t atoms,
               const trace::NameTable& names, size_t begin, size_t end, Part& part) {
  match::Scanner scanner(database);
  match::AtomSet set(atoms);
  std::vector<sema::AtomId> list;
  for (size_t i = begin; i < end; ++i) {
    scanner.scan(names.get({static_cast<uint32_t>(i)}).text, set);
    list_atoms(set, list);
    part.set_of_name.push_back(part.sets.number(list));
  }
}

}  // namespace

MatchedNames::MatchedNames(const std::shared_ptr<const match::Database>& database,
                           const sema::Program& program, const trace::NameTable& names) {
  constexpr size_t names_worth_a_thread = 4096;
  const size_t count = names.size();
  const size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const size_t threads = std::clamp<size_t>(count / names_worth_a_thread, 1, processors);
  std::vector<Part> parts(threads);
  const auto bound = [&](size_t part) { return count * part / threads; };
  in_parallel(threads, [&](size_t i) {
    scan_part(database, program.atoms.size(), names, bound(i), bound(i + 1), parts[i]);
  });

  Sets sets;
  set_of_name_.reserve(count);
  for (const Part& part : parts) {
    std::vector<uint32_t> numbers;
    for (const std::vector<sema::AtomId>& atoms : part.sets.all())
      numbers.push_back(sets.number(atoms));
    for (const uint32_t set : part.set_of_name) set_of_name_.push_back(numbers[set]);
  }
  sets_ = std::move(sets).take();
}

void MatchedNames::fill(trace::NameId name, match::AtomSet& set) const {
  set.clear();
  for (const sema::AtomId atom : sets_[set_of(name)]) set.add(atom);
}

}  // namespace kr::classify
