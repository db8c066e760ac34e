// A fact is what kr knows of a run: a type that is computed at most once per run. It says what it
// is computed from, and how:
//
//   struct Idle {
//     static constexpr facts::Set uses = facts::Set::of<RunSummary>();  // others, computed before
//     static constexpr facts::Reads reads = facts::Reads::host;  // of the trace, beside operations
//     static facts::Computed<Idle> compute(const facts::Input& run);
//     std::optional<Warning> note(const facts::Input& run) const;
//     void saved(facts::Fields& io, const RunSummary& run);  // facts/fields.hpp
//     ...
//   };
//
// `uses`, `reads`, `note` and `saved` may be left out. A fact with `saved` is in saved runs. One
// whose `compute` takes the summary and `const facts::Facts&` is made of other facts alone: a saved
// run that has these has it, too. facts.def lists all facts. A demand is a set of them, closed
// under `uses`; what is read of a file is the union of their `reads`. A fact without `compute` is
// made by what reads runs (session/session.hpp): it is the run itself, or of several.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.hpp"

#define KR_FACT(space, type, name) \
  namespace kr::space {            \
  struct type;                     \
  }
#define KR_RESULT KR_FACT
#include "facts/facts.def"
#undef KR_FACT
#undef KR_RESULT

namespace kr::ncu {
struct GpuPeaks;
}

namespace kr::facts {

class Fields;

enum class Id : uint8_t {
#define KR_FACT(space, type, name) space##_##type,
#define KR_RESULT KR_FACT
#include "facts/facts.def"
#undef KR_FACT
#undef KR_RESULT
  count
};
inline constexpr size_t fact_count = static_cast<size_t>(Id::count);

template <class Fact>
struct IdOf;
#define KR_FACT(space, type, name)                  \
  template <>                                       \
  struct IdOf<space::type> {                        \
    static constexpr Id value = Id::space##_##type; \
  };
#define KR_RESULT KR_FACT
#include "facts/facts.def"
#undef KR_FACT
#undef KR_RESULT
template <class Fact>
inline constexpr Id id_of = IdOf<Fact>::value;

/// What is read of a trace beside its operations, where its format has it: a set.
enum class Reads : uint8_t {
  nothing = 0,
  host = 1,         // calls, ranges and launches of the host
  waits = 2,        // what the host waited for
  gpu_metrics = 4,  // samples
  details = 8,      // launch shapes and sizes
  collectives = 16,
  ops = 32,          // the framework's ops, with the shapes of their arguments
  memory = 64,       // events of memory
  call_sites = 128,  // frames of Python
};
constexpr Reads operator|(Reads a, Reads b) noexcept {
  return static_cast<Reads>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr bool reads(Reads all, Reads one) noexcept {
  return (static_cast<uint8_t>(all) & static_cast<uint8_t>(one)) != 0;
}

/// A set of facts.
class Set {
 public:
  constexpr Set() = default;
  template <class... Fact>
  static constexpr Set of() noexcept {
    Set out;
    (out.add(id_of<Fact>), ...);
    return out;
  }

  constexpr void add(Id id) noexcept { bits_ |= bit(id); }
  constexpr void remove(Id id) noexcept { bits_ &= ~bit(id); }
  constexpr bool has(Id id) const noexcept { return (bits_ & bit(id)) != 0; }
  template <class Fact>
  constexpr bool has() const noexcept {
    return has(id_of<Fact>);
  }
  constexpr bool has_any(Set of) const noexcept { return (bits_ & of.bits_) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  constexpr Set& operator|=(Set other) noexcept {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr Set operator|(Set a, Set b) noexcept { return a |= b; }
  /// Those that are not in `other`.
  friend constexpr Set operator-(Set a, Set b) noexcept {
    a.bits_ &= ~b.bits_;
    return a;
  }
  friend constexpr bool operator==(Set a, Set b) = default;

  /// Calls `to` with each, in the order of facts.def.
  template <class To>
  constexpr void each(const To& to) const {
    for (size_t i = 0; i < fact_count; ++i) {
      if (has(static_cast<Id>(i))) to(static_cast<Id>(i));
    }
  }

 private:
  static constexpr uint64_t bit(Id id) noexcept { return uint64_t{1} << static_cast<uint8_t>(id); }
  uint64_t bits_ = 0;
};
static_assert(fact_count <= 64);

/// Facts of one run; the others are results of all, or of rules.
inline constexpr Set of_one_run = [] {
  Set set;
#define KR_FACT(space, type, name) set.add(Id::space##_##type);
#define KR_RESULT(space, type, name)
#include "facts/facts.def"
#undef KR_FACT
#undef KR_RESULT
  return set;
}();

/// As `kr list tables` shows it: `steps, idle`.
std::string names_of(Set set);

/// A fact, or why a run cannot have it: a sentence without a capital and a full stop.
template <class Fact>
class Computed {
 public:
  Computed(Fact fact) : fact_(std::move(fact)) {}
  static Computed absent(std::string why) {
    Computed out;
    out.why_ = std::move(why);
    return out;
  }

  std::optional<Fact>& fact() noexcept { return fact_; }
  std::string& why() noexcept { return why_; }

 private:
  Computed() = default;
  std::optional<Fact> fact_;
  std::string why_;
};

/// The facts of a run that were computed or read. A copy shares them.
class Facts {
 public:
  /// Null: it was not computed, or the run cannot have it.
  template <class Fact>
  const Fact* find() const noexcept {
    return static_cast<const Fact*>(slot<Fact>().fact.get());
  }
  /// It is there.
  template <class Fact>
  const Fact& get() const {
    const Fact* const found = find<Fact>();
    KR_CHECK(found != nullptr);
    return *found;
  }
  template <class Fact>
  std::shared_ptr<const Fact> share() const noexcept {
    return std::static_pointer_cast<const Fact>(slot<Fact>().fact);
  }
  /// Empty: it is there, or was not computed.
  template <class Fact>
  const std::string& why_absent() const noexcept {
    return slot<Fact>().why;
  }
  const std::string& why_absent(Id id) const noexcept {
    return slots_[static_cast<size_t>(id)].why;
  }
  bool has(Id id) const noexcept { return slots_[static_cast<size_t>(id)].fact != nullptr; }

  template <class Fact>
  void set(std::shared_ptr<const Fact> fact) noexcept {
    slot<Fact>().fact = std::move(fact);
  }
  template <class Fact>
  void set(Computed<Fact> computed) {
    Slot& to = slot<Fact>();
    to.why = std::move(computed.why());
    if (computed.fact()) to.fact = std::make_shared<const Fact>(*std::move(computed.fact()));
  }
  template <class Fact>
  void drop() noexcept {
    slot<Fact>() = {};
  }

 private:
  struct Slot {
    std::shared_ptr<const void> fact;
    std::string why;
  };
  template <class Fact>
  const Slot& slot() const noexcept {
    return slots_[static_cast<size_t>(id_of<Fact>)];
  }
  template <class Fact>
  Slot& slot() noexcept {
    return slots_[static_cast<size_t>(id_of<Fact>)];
  }
  std::array<Slot, fact_count> slots_;
};

/// What the facts of a run are computed from.
struct Input {
  const match::CompiledRules& rules;
  const analyze::LabelledTrace& trace;
  const analyze::RunSummary& summary;
  const Facts& facts;  // that come before it
  Set demand;
  /// The GPU that the user named; null: none, the trace may name one.
  const ncu::GpuPeaks* gpu = nullptr;
  /// What was measured on a GPU of this name; null: nothing.
  std::shared_ptr<const ncu::GpuPeaks> measured_peaks = {};
};

}  // namespace kr::facts
