// Lines of NCCL Inspector.
#include "job/nccl_inspector.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"

namespace {

using kr::job::InspectedOperations;
using kr::job::NcclInspector;
using kr::job::read_nccl_inspector;

/// A file that goes with the object.
class Log {
 public:
  explicit Log(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("kr-inspector-{}.log", getpid())) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~Log() {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string line(const std::string& id, int rank, const std::string& measured) {
  return fmt::format(
      R"({{"header": {{"id": "{}", "rank": {}, "n_ranks": 8}}, "metadata": {{"hostname": "secret"}}, {}}})"
      "\n",
      id, rank, measured);
}
std::string collective(const std::string& kind, int64_t sequence, int64_t bytes, int64_t time_us,
                       const std::string& more = {}) {
  return fmt::format(
      R"("coll_perf": {{"coll": "{}", "coll_sn": {}, "coll_msg_size_bytes": {}, "coll_exec_time_us": {}{}}})",
      kind, sequence, bytes, time_us, more);
}

std::string error_of_inspector(const std::string& path) {
  try {
    read_nccl_inspector(path);
  } catch (const kr::Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("bandwidths of NCCL Inspector are as NCCL prints them") {
  const Log log(line("0x7f8c496ae9f661", 2, collective("AllReduce", 1407, 17179869184, 61974)) +
                line("0xe62dedaa97644a", 4,
                     collective("ReduceScatter", 1231, 2147483648, 41057,
                                R"(, "coll_timing_source": "kernel_gpu")")));
  const NcclInspector found = read_nccl_inspector(log.path());
  REQUIRE(found.all.size() == 2);
  const InspectedOperations& reduce = found.all[0];
  CHECK(reduce.communicator == "0x7f8c496ae9f661");
  CHECK(reduce.rank == 2);
  CHECK(reduce.time_ns == 61'974'000);
  CHECK(*reduce.bytes_per_s() / 1e9 == doctest::Approx(277.210914));
  CHECK(*reduce.bus_bytes_per_s() / 1e9 == doctest::Approx(485.119099));
  CHECK(reduce.timed_on_gpu + reduce.timed_on_host == 0);
  const InspectedOperations& scatter = found.all[1];
  CHECK(scatter.bytes == 2147483648);
  CHECK(*scatter.bytes_per_s() / 1e9 == doctest::Approx(418.439467));
  CHECK(*scatter.bus_bytes_per_s() / 1e9 == doctest::Approx(366.134533));
  CHECK(scatter.timed_on_gpu == 1);
  CHECK(found.warnings.empty());
}

TEST_CASE("records are summed by communicator, rank and operation; what is none is counted") {
  const std::string good = line("0xA", 0, collective("AllGather", 7, 10, 3));
  const Log log(good + line("0x000a", 0, collective("AllGather", 3, 20, 4)) +
                line("0xa", 0,
                     R"("p2p_perf": {"p2p": "Send", "p2p_sn": 1, "p2p_msg_size_bytes": 5,)"
                     R"( "p2p_exec_time_us": 0, "p2p_timing_source": "collective_cpu"})") +
                "\n" + line("no id", 0, collective("AllGather", 1, 1, 1)) +
                line("0xa", -1, collective("AllGather", 1, 1, 1)) +
                line("0xa", 0, collective("AllGather", 1, -1, 1)) +
                line("0xa", 0, collective("AllGather", 1, 1, 9223372036854775807)) +
                "[1]\n{}\nx\n" + good.substr(0, 100));
  const NcclInspector found = read_nccl_inspector(log.path());
  REQUIRE(found.all.size() == 2);
  const InspectedOperations& gather = found.all[0];
  CHECK(gather.communicator == "0xa");
  CHECK(gather.instances == 2);
  CHECK(gather.first_sequence == 3);
  CHECK(gather.last_sequence == 7);
  CHECK(gather.bytes == 30);
  CHECK(gather.moved_bytes == 240);
  CHECK_FALSE(found.all[1].bytes_per_s());
  CHECK(found.all[1].timed_on_host == 1);
  REQUIRE(found.warnings.size() == 2);
  CHECK(found.warnings[0].text == "7 lines of NCCL Inspector are not records: left out");
  CHECK(found.warnings[1].text == "1 file of NCCL Inspector is cut off: the last line is left out");
}

TEST_CASE("a file without records, cut off at every byte") {
  const std::string whole = line("0xa", 0, collective("AllGather", 7, 10, 3));
  for (size_t size = 0; size + 2 < whole.size(); ++size) {
    const Log log(whole.substr(0, size));
    CHECK(error_of_inspector(log.path()).find("contains no record of NCCL Inspector") !=
          std::string::npos);
  }
  CHECK_FALSE(error_of_inspector("/no/such/file").empty());
}
