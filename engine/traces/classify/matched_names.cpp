#include "classify/matched_names.hpp"

#include <algorithm>
#include <thread>

#include "base/in_parallel.hpp"

namespace kr::classify {
namespace {

struct Part {
  AtomSets sets;
  std::vector<uint32_t> set_of_name;  // by name of the part
};

void scan_part(const std::shared_ptr<const match::Database>& database, size_t atoms,
               const trace::NameTable& names, size_t begin, size_t end, Part& part) {
  match::Scanner scanner(database);
  match::AtomSet set(atoms);
  for (size_t i = begin; i < end; ++i) {
    scanner.scan(names.get({static_cast<uint32_t>(i)}).text, set);
    part.set_of_name.push_back(part.sets.add(set));
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

  set_of_name_.reserve(count);
  for (const Part& part : parts) {
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < part.sets.size(); ++i) numbers.push_back(sets_.add(part.sets[i]));
    for (const uint32_t set : part.set_of_name) set_of_name_.push_back(numbers[set]);
  }
}

}  // namespace kr::classify
