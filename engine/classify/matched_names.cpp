#include "classify/matched_names.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <thread>

namespace kr {
namespace {

struct Part {
  std::vector<AtomId> atoms;
  std::vector<uint32_t> counts;  // by name of the part
  std::exception_ptr error;
};

void append_atoms(const AtomSet& set, std::vector<AtomId>& atoms) {
  const auto words = set.words();
  for (size_t i = 0; i < words.size(); ++i) {
    for (uint64_t word = words[i]; word != 0; word &= word - 1) {
      atoms.push_back(
          {static_cast<uint32_t>(64 * i) + static_cast<uint32_t>(std::countr_zero(word))});
    }
  }
}

void scan_part(const std::shared_ptr<const Database>& database, size_t atoms,
               const NameTable& names, size_t begin, size_t end, Part& part) {
  try {
    Scanner scanner(database);
    AtomSet set(atoms);
    for (size_t i = begin; i < end; ++i) {
      const size_t before = part.atoms.size();
      scanner.scan(names.get({static_cast<uint32_t>(i)}).text, set);
      append_atoms(set, part.atoms);
      part.counts.push_back(static_cast<uint32_t>(part.atoms.size() - before));
    }
  } catch (...) {
    part.error = std::current_exception();
  }
}

}  // namespace

MatchedNames::MatchedNames(const std::shared_ptr<const Database>& database, const Program& program,
                           const NameTable& names) {
  constexpr size_t names_worth_a_thread = 4096;
  const size_t count = names.size();
  const size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const size_t threads = std::clamp<size_t>(count / names_worth_a_thread, 1, processors);
  std::vector<Part> parts(threads);
  const auto bound = [&](size_t part) { return count * part / threads; };
  std::vector<std::thread> workers;
  for (size_t i = 1; i < threads; ++i) {
    workers.emplace_back([&, i] {
      scan_part(database, program.atoms.size(), names, bound(i), bound(i + 1), parts[i]);
    });
  }
  scan_part(database, program.atoms.size(), names, 0, bound(1), parts[0]);
  for (std::thread& worker : workers) worker.join();

  begins_.reserve(count + 1);
  begins_.push_back(0);
  for (Part& part : parts) {
    if (part.error) std::rethrow_exception(part.error);
    for (const uint32_t atoms : part.counts) begins_.push_back(begins_.back() + atoms);
    atoms_.insert(atoms_.end(), part.atoms.begin(), part.atoms.end());
    part = Part{};
  }
}

void MatchedNames::fill(NameId name, AtomSet& set) const {
  set.clear();
  for (const AtomId atom : atoms(name)) set.add(atom);
}

}  // namespace kr
