// Payloads of NCCL in nsys exports, and the kernels of its calls.
#include "trace/readers/nccl_payload.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/sqlite.hpp"
#include "support.hpp"
#include "trace/readers/nvtx_payload.hpp"
#include "trace/readers/sqlite_tables.hpp"

namespace kr::test::nccl_payload_test {
namespace {

constexpr int64_t process = int64_t{1} << 56 | int64_t{77} << 24;  // globalPid
constexpr int64_t own = int64_t{1} << 24;                          // the first schema or enum
constexpr uint64_t all_ranks = 0xc0ffee00d15ea5e5;
constexpr uint64_t two_ranks = 0x1122334455667788;

const std::string tables =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'ncclDevKernel_AllReduce_Sum_f32'), (2, 'cudaLaunchKernel'),"
    " (3, 'ncclDevKernel_SendRecv'), (4, 'copy');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
    "streamId INTEGER, demangledName INTEGER, correlationId INTEGER, globalPid INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
    "correlationId INTEGER, nameId INTEGER);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, "
    "text TEXT, textId INTEGER, endGlobalTid INTEGER, domainId INTEGER, binaryData TEXT);"
    "CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId, schemaId, name, type, flags, numEntries,"
    " payloadSize, alignTo);"
    "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, idx, flags, type, name,"
    " description, arrayOrUnionDetail, offset);"
    "CREATE TABLE NVTX_PAYLOAD_ENUMS (domainId, schemaId, name, numEntries, size);"
    "CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES (domainId, schemaId, idx, name, value, isFlag);";

std::string entry(int64_t schema, int place, int64_t type, std::string_view name,
                  std::string_view offset = "NULL", std::string_view flags = "NULL") {
  return fmt::format(
      "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, {}, {}, {}, {}, '{}', NULL, NULL, {});",
      own + schema, place, flags, type, name, offset);
}

/// A communicator, a size and one more number; 0 makes communicators; 1 has no communicator.
/// Enum 9.
const std::string schemas =
    "INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1, 16777217, NULL, 1, NULL, 2, 16, NULL);" +
    entry(5, 0, 18, "NCCL communicator ID") + entry(5, 1, 22, "Message size [bytes]", "8") +
    entry(5, 2, own + 9, "Reduction operation", "16") +
    entry(5, 2, own + 9, "Reduction operation", "16") + entry(6, 2, 5, "Peer rank", "16") +
    entry(6, 1, 22, "Bytes", "8") + entry(6, 0, 18, "NCCL communicator ID") +
    entry(0, 0, 18, "NCCL communicator ID") + entry(0, 1, 5, "No. of ranks", "8") +
    entry(0, 2, 5, "Rank", "12") + entry(1, 0, 22, "Bytes") +
    entry(1, 1, own + 9, "Reduction operation", "8") +
    "INSERT INTO NVTX_PAYLOAD_ENUMS VALUES (1, 16777225, NULL, 2, 4);"
    "INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES (1, 16777225, 0, 'Sum', 0, 0),"
    " (1, 16777225, 1, 'Avg', 4, 0), (1, 16777225, 0, 'Sum', 0, 0);";

template <class... Number>
std::string bytes_of(const Number&... numbers) {
  std::string out;
  (out.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return out;
}

std::string payload(int64_t schema, const std::string& values, uint64_t domain = 1) {
  return bytes_of(domain, static_cast<uint64_t>(own + schema), uint64_t{values.size()},
                  uint64_t{values.size() + 32}) +
         values;
}
std::string sized(int64_t schema, uint64_t communicator, uint64_t bytes, int32_t number = 0) {
  return payload(schema, bytes_of(communicator, bytes, number, int32_t{0}));
}
std::string made(uint64_t communicator, int32_t ranks, int32_t rank) {
  return payload(0, bytes_of(communicator, ranks, rank));
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char one : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(one));
  return out;
}

std::string range(int64_t start, int64_t end, std::string_view name, const std::string& blob = {},
                  int thread = 5, int domain = 1) {
  return fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, 59, {}, '{}', NULL, NULL, {}, {});",
                     start, end, process + thread, name, domain,
                     blob.empty() ? "NULL" : "x'" + hex(blob) + "'");
}
/// A kernel that a call at `launch` launched.
std::string kernel(int64_t launch, int64_t start, int name = 1, int device = 0, int thread = 5) {
  return fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, {}, {}, 2);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {}, 7, {}, {}, {});",
      launch, launch + 1, process + thread, launch, start, start + 10, device, name, launch,
      process);
}

trace::Trace read(const Folder& folder, const std::string& sql, bool collectives = true) {
  const std::string path = folder.path("t.sqlite");
  sqlite::Database::write(path).execute(sql);
  trace::OpenOptions options;
  options.host = trace::HostDetail::all;
  options.collectives = collectives;
  return trace::open_trace(path, options);
}

std::string shown(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "?";
}

std::string shown(const trace::CollectiveCall& call) {
  return fmt::format("{} {} of {} {} peer {} {} B {} B", call.name.empty() ? "-" : call.name,
                     call.group.empty() ? "-" : call.group, shown(call.group_size),
                     call.reduction.empty() ? "-" : call.reduction, shown(call.rank_argument),
                     shown(call.message_bytes), shown(call.bytes));
}

/// Kernels with their calls, then requests, a line each.
std::string dump_collectives(const trace::Trace& trace) {
  std::string out;
  if (!trace.collectives) return out;
  const trace::Collectives& all = *trace.collectives;
  for (const trace::CollectiveOperation& one : all.operations) {
    out += fmt::format("kernel {}: {}\n", trace.operations[one.operation].start_ns,
                       shown(all.calls[one.call]));
  }
  for (const trace::CollectiveRequest& one : all.requests) {
    out += fmt::format("call {} on {}: {}\n", one.start_ns, one.device, shown(all.calls[one.call]));
  }
  return out;
}

std::string dropped(const trace::Trace& trace) {
  std::string out;
  for (const trace::DroppedRecords& one : trace.dropped) {
    out += fmt::format("{} × {}\n", one.count, one.what);
  }
  return out;
}

}  // namespace

TEST_CASE("calls of NCCL are those of the kernels that they launch") {
  const Folder folder;
  const trace::Trace trace = read(
      folder, tables + schemas + range(1, 2, "ncclCommInitRank", made(two_ranks, 2, 1)) +
                  range(10, 20, "ncclAllReduce", sized(5, two_ranks, 4096, 4)) + kernel(12, 100) +
                  range(30, 40, "ncclAllGather", sized(5, two_ranks, 64)) + kernel(32, 120) +
                  // Of another thread, and no kernel of NCCL.
                  kernel(33, 130, 1, 0, 6) + kernel(34, 140, 4) +
                  // Without kernels: of no bytes, and captured.
                  range(50, 51, "ncclAllReduce", sized(5, two_ranks, 0)) +
                  range(52, 53, "ncclAllReduce", sized(5, two_ranks, 8)) +
                  // Its ranks are not known.
                  range(60, 70, "ncclReduceScatter", sized(5, all_ranks, 16)) + kernel(62, 160) +
                  // What a call calls itself is a part of it.
                  // Its payload cannot be read.
                  range(72, 79, "ncclAllReduce", "short") + kernel(73, 170) +
                  range(80, 90, "ncclAlltoAll", sized(6, two_ranks, 32)) +
                  range(81, 82, "ncclGroupStart") +
                  range(82, 83, "ncclSend", sized(6, two_ranks, 32, 1)) +
                  range(84, 89, "ncclGroupEnd") + kernel(85, 180, 3));
  CHECK(dump_collectives(trace) ==
        "kernel 100: ncclAllReduce 0x1122334455667788 of 2 Avg peer ? 4096 B 4096 B\n"
        "kernel 120: ncclAllGather 0x1122334455667788 of 2 Sum peer ? 64 B 128 B\n"
        "kernel 160: ncclReduceScatter 0xc0ffee00d15ea5e5 of ? Sum peer ? 16 B ? B\n"
        "kernel 180: ncclAlltoAll 0x1122334455667788 of 2 - peer 0 32 B 64 B\n"
        "call 10 on 0: ncclAllReduce 0x1122334455667788 of 2 Avg peer ? 4096 B 4096 B\n"
        "call 30 on 0: ncclAllGather 0x1122334455667788 of 2 Sum peer ? 64 B 128 B\n"
        "call 50 on 0: ncclAllReduce 0x1122334455667788 of 2 Sum peer ? 0 B 0 B\n"
        "call 52 on 0: ncclAllReduce 0x1122334455667788 of 2 Sum peer ? 8 B 8 B\n"
        "call 60 on 0: ncclReduceScatter 0xc0ffee00d15ea5e5 of ? Sum peer ? 16 B ? B\n"
        "call 80 on 0: ncclAlltoAll 0x1122334455667788 of 2 - peer 0 32 B 64 B\n");
  CHECK(dropped(trace) == "1 × payload of NCCL that is shorter than its header\n");
  const auto& warnings = trace.warnings;
  CHECK(std::any_of(warnings.begin(), warnings.end(), [](const Warning& one) {
    return one.code == "unknown-communicator-size" && one.text.starts_with("1 call of NCCL has");
  }));
  CHECK(trace.collectives->calls[trace.collectives->operations[0].call].group_rank == 1);
}

TEST_CASE("a group of calls is launched at its end") {
  const Folder folder;
  const trace::Trace trace = read(
      folder,
      tables + schemas +
          // One kernel of unlike calls: their sum.
          range(10, 11, "ncclGroupStart") + range(11, 12, "ncclGroupStart") +
          range(12, 13, "ncclSend", sized(6, all_ranks, 100, 1)) +
          range(13, 14, "ncclRecv", sized(6, all_ranks, 20, 1)) + range(14, 15, "ncclGroupEnd") +
          range(15, 20, "ncclGroupEnd") + kernel(16, 100, 3) +
          // As many kernels as calls that are alike.
          range(30, 31, "ncclGroupStart") + range(31, 32, "ncclAllReduce", sized(5, two_ranks, 8)) +
          range(33, 34, "ncclAllReduce", sized(5, two_ranks, 8)) + range(35, 40, "ncclGroupEnd") +
          kernel(36, 110) + kernel(37, 120, 1, 1) +
          // Of two communicators.
          range(50, 51, "ncclGroupStart") + range(51, 52, "ncclAllReduce", sized(5, all_ranks, 8)) +
          range(53, 54, "ncclAllReduce", sized(5, two_ranks, 16)) + range(55, 60, "ncclGroupEnd") +
          kernel(56, 130) + kernel(57, 140) +
          // A call whose size is not known.
          range(70, 71, "ncclGroupStart") + range(71, 72, "ncclSend", sized(6, all_ranks, 100, 1)) +
          range(72, 73, "ncclSend") + range(75, 80, "ncclGroupEnd") + kernel(76, 150, 3) +
          // An end without a start.
          range(90, 95, "ncclGroupEnd") + kernel(91, 160));
  const std::string text = dump_collectives(trace);
  CHECK(text.substr(0, text.find("call")) ==
        "kernel 100: - 0xc0ffee00d15ea5e5 of ? - peer 1 120 B 120 B\n"
        "kernel 110: ncclAllReduce 0x1122334455667788 of ? Sum peer ? 8 B 8 B\n"
        "kernel 120: ncclAllReduce 0x1122334455667788 of ? Sum peer ? 8 B 8 B\n"
        "kernel 130: - 0x1122334455667788+0xc0ffee00d15ea5e5 of ? Sum peer ? ? B ? B\n"
        "kernel 140: - 0x1122334455667788+0xc0ffee00d15ea5e5 of ? Sum peer ? ? B ? B\n");
  CHECK(dropped(trace) == "1 × call of NCCL without a payload\n");
}

TEST_CASE("payloads that cannot be read are counted, and those of other libraries are not") {
  const Folder folder;
  const std::string good = sized(5, two_ranks, 8);
  std::string sql = tables + schemas;
  // Cut off at every byte.
  for (size_t size = 1; size < good.size(); ++size) {
    const auto at = static_cast<int64_t>(size) * 10;
    sql += range(at, at + 5, "ncclAllReduce", good.substr(0, size));
  }
  const int64_t at = static_cast<int64_t>(good.size()) * 10;
  const trace::Trace trace =
      read(folder, sql + range(at, at + 5, "ncclAllReduce", sized(77, two_ranks, 8)) +
                       range(at + 10, at + 11, "next batch", "not a payload", 5, 7) +
                       range(at + 20, at + 21, "nccl:all_reduce", "not a payload") +
                       range(at + 30, at + 31, "ncclCommCount"));
  CHECK(dropped(trace) ==
        "31 × payload of NCCL that is shorter than its header\n"
        "24 × payload of NCCL that is cut off\n"
        "1 × payload of NCCL whose schema is not known\n");
  CHECK(dump_collectives(trace).empty());
}

TEST_CASE("payloads as hexadecimal digits, and without a communicator") {
  const Folder folder;
  const std::string old = payload(1, bytes_of(uint64_t{8}, int32_t{4}, int32_t{0}));
  const trace::Trace trace =
      read(folder, tables + schemas + range(10, 20, "ncclAllReduce", old) + kernel(12, 100) +
                       "UPDATE NVTX_EVENTS SET binaryData = upper(hex(binaryData));");
  CHECK(dump_collectives(trace) ==
        "kernel 100: ncclAllReduce - of ? Avg peer ? 8 B 8 B\n"
        "call 10 on 0: ncclAllReduce - of ? Avg peer ? 8 B 8 B\n");
}

TEST_CASE("payloads are read if they are wanted and described") {
  const std::string call = range(10, 20, "ncclAllReduce", sized(5, two_ranks, 8)) + kernel(12, 100);
  const Folder folder;
  const trace::Trace unwanted = read(folder, tables + schemas + call, false);
  CHECK(unwanted.collectives == nullptr);
  CHECK(dropped(unwanted).empty());
  const Folder empty;
  const trace::Trace undescribed = read(empty, tables + call);
  CHECK(undescribed.collectives == nullptr);
  CHECK(dropped(undescribed).empty());
  for (const char* const missing : {"NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_ENUMS",
                                    "NVTX_PAYLOAD_ENUM_ENTRIES", "NVTX_PAYLOAD_SCHEMA_ENTRIES"}) {
    const Folder one;
    const trace::Trace trace =
        read(one, tables + schemas + call + "DROP TABLE " + std::string(missing) + ";");
    const bool readable = std::string_view(missing) != "NVTX_PAYLOAD_SCHEMA_ENTRIES";
    CHECK((trace.collectives != nullptr) == readable);
    CHECK(dropped(trace).empty() == readable);
  }
}

TEST_CASE("hostile schemas") {
  const std::string call = range(10, 20, "ncclAllReduce", sized(5, two_ranks, 8)) + kernel(12, 100);
  const auto fault = [&](const std::string& sql) {
    const Folder folder;
    return dropped(read(folder, tables + schemas + sql + call));
  };
  const std::string cut_off = "1 × payload of NCCL that is cut off\n";
  const std::string unknown = "1 × payload of NCCL whose schema is not known\n";
  CHECK(fault(entry(5, 3, 18, "far", "9223372036854775807")) == cut_off);
  CHECK(fault(entry(5, 3, 18, "before", "-8")) == cut_off);
  CHECK(fault(entry(5, 3, 18, "beyond", "17")) == cut_off);
  // What is no number of a known place is passed over.
  CHECK(fault(entry(5, 3, 18, "text", "'abc'")).empty());
  CHECK(fault(entry(5, 3, 18, "pointer", "17", "2")).empty());
  CHECK(fault(entry(5, 3, own + 5, "itself", "0")).empty());
  CHECK(fault(entry(5, 3, own + 6, "another", "0") + entry(6, 3, own + 5, "back", "0")).empty());
  CHECK(fault(entry(5, 3, 9999, "of an unknown type", "999")).empty());
  CHECK(fault(entry(5, 3, -1, "of no type", "999")).empty());
  CHECK(fault("INSERT INTO NVTX_PAYLOAD_ENUMS VALUES (1, 16777225, NULL, 2, 999);").empty());
  CHECK(fault("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES ('a', x'00', NULL, 1.5, 'b', 3, 4,"
              " 5, 6);")
            .empty());
  // A union, and a schema that two processes define in different ways.
  CHECK(fault("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1, 16777221, NULL, 3, 0, 0, 0, 0);") ==
        unknown);
  CHECK(fault(entry(5, 1, 22, "Bytes", "0")) ==
        "1 × payload of NCCL whose schema has several definitions\n");
}

TEST_CASE("sizes and communicators beyond 63 bits") {
  CHECK(trace::nccl_communicator_name(0x8000000000000001) == "0x8000000000000001");
  CHECK(trace::nccl_communicator_name(0x7f8c496ae9f661) == "0x7f8c496ae9f661");
  const trace::NvtxField fields[] = {{"Message size [bytes]", ~uint64_t{0}, ""},
                                     {"Rank", static_cast<uint64_t>(int64_t{-1}), ""}};
  const trace::NcclArguments arguments = trace::nccl_arguments(fields);
  CHECK_FALSE(arguments.bytes);
  CHECK_FALSE(arguments.rank);
  CHECK_FALSE(trace::nccl_total_bytes("ncclAllGather", int64_t{1} << 62, 2));
  CHECK_FALSE(trace::nccl_total_bytes("ncclAllGather", int64_t{1} << 60, 2));
  CHECK(trace::nccl_total_bytes("ncclAllReduce", int64_t{1} << 60, 2) == int64_t{1} << 60);
  CHECK_FALSE(trace::nccl_total_bytes("ncclGather", 8, std::nullopt));
}

TEST_CASE("functions of NCCL by the names of their ranges") {
  CHECK(trace::nccl_function("ncclAllReduce") == trace::NcclFunction::operation);
  CHECK(trace::nccl_function("ncclGroupEnd") == trace::NcclFunction::group_end);
  CHECK(trace::nccl_function("ncclCommInitRankConfig") == trace::NcclFunction::other);
  for (const char* const name : {"", "nccl", "nccl:all_reduce", "ncclx", "xncclSend", "NCCL"}) {
    CHECK(trace::nccl_function(name) == trace::NcclFunction::none);
  }
}

}  // namespace kr::test::nccl_payload_test
