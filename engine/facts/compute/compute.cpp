#include "compute/compute.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

#include "base/in_parallel.hpp"
#include "compute/all_facts.hpp"

namespace kr::facts {
namespace {

struct Kind {
  Set uses = {};
  Reads reads = Reads::nothing;
  void (*compute)(const Input& input, Facts& to) = nullptr;  // null: it is made elsewhere
  std::optional<Warning> (*note)(const Input& input) = nullptr;
  /// The same, if it is made of other facts alone.
  void (*of_facts)(const analyze::RunSummary& summary, Facts& of) = nullptr;
};

template <class Fact>
constexpr Kind kind_of() {
  static_assert(
      requires { sizeof(Fact); }, "all_facts.hpp has its definition");
  Kind kind;
  if constexpr (requires { Fact::uses; }) kind.uses = Fact::uses;
  if constexpr (requires { Fact::reads; }) kind.reads = Fact::reads;
  if constexpr (requires(const Input& input) { Fact::compute(input); }) {
    kind.compute = [](const Input& input, Facts& to) { to.set<Fact>(Fact::compute(input)); };
  }
  if constexpr (requires(const analyze::RunSummary& summary, const Facts& facts) {
                  Fact::compute(summary, facts);
                }) {
    kind.compute = [](const Input& input, Facts& to) {
      to.set<Fact>(Fact::compute(input.summary, input.facts));
    };
    kind.of_facts = [](const analyze::RunSummary& summary, Facts& to) {
      to.set<Fact>(Fact::compute(summary, to));
    };
  }
  if constexpr (requires(const Fact& fact, const Input& input) { fact.note(input); }) {
    kind.note = [](const Input& input) { return input.facts.get<Fact>().note(input); };
  }
  return kind;
}
/// A type of traces, which know no facts.
template <>
constexpr Kind kind_of<trees::LabelledModules>() {
  return {.reads = Reads::host};
}

/// Of results, which are not of one run.
template <class Result>
constexpr Kind result_kind() {
  return {};
}
template <>
constexpr Kind result_kind<tables::Tree>() {
  return {.uses = Set::of<trees::LabelledModules>()};
}

constexpr std::array<Kind, fact_count> kinds{
#define KR_FACT(space, type, name) kind_of<space::type>(),
#define KR_RESULT(space, type, name) result_kind<space::type>(),
#include "facts/facts.def"
#undef KR_FACT
#undef KR_RESULT
};
const Kind& kind(Id id) noexcept {
  return kinds[static_cast<size_t>(id)];
}

constexpr bool uses_come_before() {
  for (size_t i = 0; i < fact_count; ++i) {
    for (size_t used = i; used < fact_count; ++used) {
      if (kinds[i].uses.has(static_cast<Id>(used))) return false;
    }
  }
  return true;
}
static_assert(uses_come_before());

/// Which facts are left, are being computed, and are there.
class Work {
 public:
  Work(const Input& input, Facts& to) : input_(input), to_(to) {
    input.demand.each([&](Id id) {
      if (kind(id).compute != nullptr && !to.has(id)) left_.push_back(id);
    });
  }
  size_t size() const noexcept { return left_.size(); }

  /// What one thread does. Throws what computing throws, then the others stop.
  void run() {
    std::unique_lock lock(mutex_);
    while (!left_.empty() && !failed_) {
      const auto next = std::find_if(left_.begin(), left_.end(), [&](Id id) { return ready(id); });
      if (next == left_.end()) {
        changed_.wait(lock);
        continue;
      }
      const Id id = *next;
      left_.erase(next);
      missing_.add(id);
      lock.unlock();
      try {
        kind(id).compute(input_, to_);
      } catch (...) {
        lock.lock();
        failed_ = true;
        changed_.notify_all();
        throw;
      }
      lock.lock();
      missing_.remove(id);
      changed_.notify_all();
    }
  }

 private:
  /// Whether nothing that it uses is left or being computed.
  bool ready(Id id) const {
    const Set& uses = kind(id).uses;
    Set missing = missing_;
    for (const Id one : left_) missing.add(one);
    return (uses - (uses - missing)).empty();
  }

  const Input& input_;
  Facts& to_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Id> left_;
  Set missing_;  // those being computed
  bool failed_ = false;
};

}  // namespace

Set closed(Set demand) noexcept {
  // What a fact uses comes before it.
  for (size_t i = fact_count; i-- > 0;) {
    if (demand.has(static_cast<Id>(i))) demand |= kinds[i].uses;
  }
  return demand;
}

Reads reads_of(Set demand) noexcept {
  Reads all = Reads::nothing;
  demand.each([&](Id id) { all = all | kind(id).reads; });
  return all;
}

Set with_made_of(Set known) noexcept {
  for (size_t i = 0; i < fact_count; ++i) {
    if (kinds[i].of_facts != nullptr && (kinds[i].uses - known).empty()) {
      known.add(static_cast<Id>(i));
    }
  }
  return known;
}

void compute_made_of(Set demand, const analyze::RunSummary& summary, Facts& facts) {
  demand.each([&](Id id) {
    bool any_missing = kind(id).of_facts == nullptr || facts.has(id);
    kind(id).uses.each(
        [&](Id used) { any_missing |= used != id_of<analyze::RunSummary> && !facts.has(used); });
    if (!any_missing) kind(id).of_facts(summary, facts);
  });
}

void compute(const Input& input, Facts& facts) {
  Work work(input, facts);
  in_parallel(std::min<size_t>(work.size(), 2), [&](size_t) { work.run(); });
}

std::vector<Warning> notes_of(const Input& input) {
  std::vector<Warning> notes;
  input.demand.each([&](Id id) {
    if (kind(id).note == nullptr || !input.facts.has(id)) return;
    if (std::optional<Warning> note = kind(id).note(input)) notes.push_back(*std::move(note));
  });
  return notes;
}

}  // namespace kr::facts
