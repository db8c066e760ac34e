#include "ncu/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

namespace kr::ncu {
namespace {

constexpr std::string_view per_cycle = "inst/cycle|inst";
constexpr std::string_view byte_rate = "byte/s";
constexpr std::string_view bytes_per_cycle = "byte/cycle|byte";
constexpr std::string_view shared_bytes = "byte/block|byte";

struct PrecisionWords {
  std::string word;    // `Single`
  std::string letter;  // `F`
  double lanes;        // operations of an addition
};

class List {
 public:
  std::vector<Source> all;

  void precision(size_t number, const PrecisionWords& words) {
    const std::string small = number == 0 ? "h" : number == 1 ? "f" : "d";
    achieved(number, words, small);
    roofs(number, words, small);
  }

  void add(Other to, const char* name, std::string_view units, const char* section = "") {
    all.push_back({place_of(to), name, units, 1, section});
  }

 private:
  void achieved(size_t number, const PrecisionWords& words, const std::string& small) {
    const std::string item = words.word + " Precision Achieved Value";
    const auto put = [&](Input to, const std::string& name, std::string_view units, double factor,
                         const std::string& of = {}) {
      all.push_back({place_of(number, to), name, units, factor, {}, of});
    };
    const std::array<std::pair<Input, const char*>, 3> operations{
        {{Input::add, "add"}, {Input::mul, "mul"}, {Input::fma, "fma"}}};
    for (const auto& [input, name] : operations) {
      const double count = words.lanes * (input == Input::fma ? 2 : 1);
      const std::string instruction = small + name;
      put(input,
          fmt::format("derived__smsp__sass_thread_inst_executed_op_{}_pred_on_x{}", instruction,
                      static_cast<int>(count)),
          per_cycle, 1);
      put(input,
          fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum.per_cycle_elapsed",
                      instruction),
          per_cycle, count);
      const std::string title = words.letter + (input == Input::add   ? "ADD"
                                                : input == Input::mul ? "MUL"
                                                                      : "FMA");
      put(input, fmt::format("Predicated-On {} Operations Per Cycle", title), per_cycle, 1, item);
      put(input, fmt::format("Predicated-On {} Thread Instructions Executed Per Cycle", title),
          per_cycle, count, item);
      const auto sum =
          static_cast<Input>(static_cast<int>(input) + static_cast<int>(Input::add_sum));
      for (const char* unit : {"smsp", "sm"}) {
        put(sum, fmt::format("{}__sass_thread_inst_executed_op_{}_pred_on.sum", unit, instruction),
            "inst", count);
      }
    }
    put(Input::clock, "smsp__cycles_elapsed.avg.per_second", "hz", 1);
    put(Input::clock, "SM Frequency", "hz", 1, item);
    put(Input::dram_rate, "DRAM Bandwidth", byte_rate, 1, item);
  }

  void roofs(size_t number, const PrecisionWords& words, const std::string& small) {
    const std::string item = words.word + " Precision Roofline";
    const auto put = [&](Input to, const std::string& name, std::string_view units, double factor,
                         const std::string& of = {}) {
      all.push_back({place_of(number, to), name, units, factor, {}, of});
    };
    const double count = words.lanes * 2;
    put(Input::peak,
        fmt::format("derived__sm__sass_thread_inst_executed_op_{}fma_pred_on_x{}", small,
                    static_cast<int>(count)),
        per_cycle, 1);
    put(Input::peak,
        fmt::format("sm__sass_thread_inst_executed_op_{}fma_pred_on.sum.peak_sustained", small),
        per_cycle, count);
    put(Input::peak, fmt::format("Theoretical Predicated-On {}FMA Operations", words.letter),
        per_cycle, 1, item);
    put(Input::peak_clock, "sm__cycles_elapsed.avg.per_second", "hz", 1);
    put(Input::peak_clock, "SM Frequency", "hz", 1, item);
    put(Input::dram_peak, "dram__bytes.sum.peak_sustained", bytes_per_cycle, 1);
    put(Input::dram_peak, "Theoretical DRAM Bytes Accessible", bytes_per_cycle, 1, item);
    put(Input::dram_peak_clock, "dram__cycles_elapsed.avg.per_second", "hz", 1);
    put(Input::dram_peak_clock, "DRAM Frequency", "hz", 1, item);
  }
};

void add_throughputs(List& list) {
  const char* const light = "GPU Speed Of Light Throughput";
  const char* const workload = "Memory Workload Analysis";
  list.add(Other::compute, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%");
  list.add(Other::compute, "Compute (SM) Throughput", "%");
  list.add(Other::compute, "SM [%]", "%");
  list.add(Other::memory, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%");
  list.add(Other::memory, "Memory Throughput", "%", light);
  list.add(Other::memory, "Memory [%]", "%");
  for (const char* const dram :
       {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput"}) {
    list.add(Other::dram, dram, "%");
  }
  for (const char* const l1 :
       {"l1tex__throughput.avg.pct_of_peak_sustained_active", "L1/TEX Cache Throughput"}) {
    list.add(Other::l1, l1, "%");
  }
  for (const char* const l2 :
       {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 Cache Throughput"}) {
    list.add(Other::l2, l2, "%");
  }
  list.add(Other::sm_hz, "sm__cycles_elapsed.avg.per_second", "hz");
  list.add(Other::sm_hz, "smsp__cycles_elapsed.avg.per_second", "hz");
  list.add(Other::sm_hz, "SM Frequency", "hz", light);
  list.add(Other::dram_hz, "dram__cycles_elapsed.avg.per_second", "hz");
  list.add(Other::dram_hz, "DRAM Frequency", "hz", light);
  list.add(Other::dram_read, "dram__bytes_read.sum", "byte");
  list.add(Other::dram_write, "dram__bytes_write.sum", "byte");
  list.add(Other::dram_bytes, "dram__bytes.sum", "byte");
  list.add(Other::dram_rate, "dram__bytes.sum.per_second", byte_rate);
  list.add(Other::dram_rate, "Memory Throughput", byte_rate, workload);
  list.add(Other::l2_bytes, "lts__t_bytes.sum", "byte");
  list.add(Other::l2_rate, "lts__t_bytes.sum.per_second", byte_rate);
  list.add(Other::l2_peak, "lts__t_bytes.sum.peak_sustained", bytes_per_cycle);
  list.add(Other::l2_clock, "lts__cycles_elapsed.avg.per_second", "hz");
  list.add(Other::l1_hit, "l1tex__t_sector_hit_rate.pct", "%");
  list.add(Other::l1_hit, "L1/TEX Hit Rate", "%");
  list.add(Other::l2_hit, "lts__t_sector_hit_rate.pct", "%");
  list.add(Other::l2_hit, "L2 Hit Rate", "%");
}

void add_launch(List& list) {
  list.add(Other::ipc, "sm__inst_executed.avg.per_cycle_active", per_cycle);
  list.add(Other::ipc, "Executed Ipc Active", per_cycle);
  list.add(Other::theoretical_occupancy, "sm__maximum_warps_per_active_cycle_pct", "%");
  list.add(Other::theoretical_occupancy, "Theoretical Occupancy", "%");
  list.add(Other::achieved_occupancy, "sm__warps_active.avg.pct_of_peak_sustained_active", "%");
  list.add(Other::achieved_occupancy, "Achieved Occupancy", "%");
  list.add(Other::registers, "launch__registers_per_thread", "register/thread|register");
  list.add(Other::registers, "Registers Per Thread", "register/thread|register");
  list.add(Other::static_shared, "launch__shared_mem_per_block_static", shared_bytes);
  list.add(Other::static_shared, "Static Shared Memory Per Block", shared_bytes);
  list.add(Other::dynamic_shared, "launch__shared_mem_per_block_dynamic", shared_bytes);
  list.add(Other::dynamic_shared, "Dynamic Shared Memory Per Block", shared_bytes);
  list.add(Other::waves, "launch__waves_per_multiprocessor", "wave|wave/multiprocessor");
  list.add(Other::waves, "Waves Per SM", "wave|wave/multiprocessor");
  const std::array<std::tuple<Other, const char*, const char*>, 5> limits{
      {{Other::limit_registers, "launch__occupancy_limit_registers", "Block Limit Registers"},
       {Other::limit_shared, "launch__occupancy_limit_shared_mem", "Block Limit Shared Mem"},
       {Other::limit_warps, "launch__occupancy_limit_warps", "Block Limit Warps"},
       {Other::limit_blocks, "launch__occupancy_limit_blocks", "Block Limit SM"},
       {Other::limit_barriers, "launch__occupancy_limit_barriers", "Block Limit Barriers"}}};
  for (const auto& [to, raw, title] : limits) {
    list.add(to, raw, "block");
    list.add(to, title, "block");
  }
}

std::vector<Source> make_sources() {
  List list;
  list.precision(0, {"Half", "H", 2});
  list.precision(1, {"Single", "F", 1});
  list.precision(2, {"Double", "D", 1});
  add_throughputs(list);
  add_launch(list);
  return std::move(list.all);
}

}  // namespace

std::span<const Source> sources() {
  static const std::vector<Source> all = make_sources();
  return all;
}

bool is_unit_of(std::string_view unit, std::string_view units) {
  if (unit.empty()) return true;
  while (!units.empty()) {
    const size_t end = std::min(units.find('|'), units.size());
    if (units.substr(0, end) == unit) return true;
    units.remove_prefix(std::min(end + 1, units.size()));
  }
  return false;
}

}  // namespace kr::ncu
