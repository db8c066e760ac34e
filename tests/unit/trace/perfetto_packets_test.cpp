// Packets of Perfetto's protobuf traces: what they refer to, blocks of them, and each way one can
// be wrong.
#include "perfetto_packets.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace kr::test::perfetto_packets_test {

using namespace perfetto_packets;

TEST_CASE("packed, and two packed ones in a row") {
  const Folder folder;
  const std::string path = folder.write("t.pftrace", gzip(torch()) + gzip(torch()));
  CHECK(trace::open_trace(path).operations.size() == 4);
}

TEST_CASE("the first packet says that it is Perfetto's") {
  CHECK(sniffed(torch()));
  CHECK(sniffed(packet(P().text(50, std::string(10'000, 'x'))).substr(0, 4096)));
  CHECK(sniffed(tables(1)));
  // An XSpace: planes with a number, a name, lines.
  CHECK(!sniffed(P().message(1, P().number(1, 2).text(2, "/device:GPU:0")).bytes()));
  CHECK(!sniffed(P().message(1, P().text(2, "/host:CPU").message(3, P().number(1, 1))).bytes()));
  CHECK(
      !sniffed(P().message(1, P().number(1, 7).text(2, "Task Environment").text(6, "x")).bytes()));
  CHECK(!sniffed("\n{\"traceEvents\": []}"));
  CHECK(!sniffed("\n"));
  CHECK(!sniffed(P().message(1, P().number(5, 2)).bytes()));
  CHECK(!sniffed(""));
}

TEST_CASE("what a sequence says is its own, until it is cleared or lost") {
  P named = P().number(9, 1).number(10, 1).number(11, 3).number(3, 1);
  const auto kernel = [&](uint64_t time, uint64_t sequence) {
    return packet(at(time).message(11, named), sequence) + end(time + 5, 3, sequence);
  };
  const auto names = [](std::string_view name, uint64_t sequence) {
    return packet(P().number(13, 1).message(
                      12, P().message(2, interned(1, name)).message(1, interned(1, "kernel"))),
                  sequence);
  };
  const trace::Trace trace = read(
      kernel(1, 1) + names("a", 1) + names("b", 2) + kernel(10, 1) + kernel(20, 2) + names("c", 1) +
      kernel(30, 1) + packet(P().number(42, 1).number(8, 40).number(13, 2)) + kernel(50, 1) +
      packet(P().number(41, 1).message(12, P().message(1, interned(1, "kernel")))) + kernel(60, 1));
  CHECK(dump(trace) ==
        "10 5 kernel  (0) 0 a\n20 5 kernel  (0) 0 b\n30 5 kernel  (0) 0 c\n"
        "60 5 kernel  (0) 0 (unnamed operation)\n");
  CHECK(dropped(trace) ==
        "3 packet that refers to what was lost\n"
        "4 operation without a device number: assigned to device 0\n"
        "1 operation whose name is not in the trace\n2 end of a slice that has not begun\n");
}

TEST_CASE("clocks of the file and of a sequence") {
  const auto clock = [](uint64_t id, uint64_t time, bool incremental = false, uint64_t unit = 1) {
    P one = P().number(1, id).number(2, time);
    if (incremental) one.number(3, 1);
    return one.number(4, unit);
  };
  const std::string snapshot =
      packet(P().message(6, P().message(1, clock(6, 1'000'000)).message(1, clock(1, 5'000'000))));
  const std::string own = packet(
      P().number(13, 1)
          .message(59, P().number(58, 64))
          .message(6, P().message(1, clock(6, 1'000'000)).message(1, clock(64, 300, true, 10))));
  const auto stage_at = [](uint64_t time, std::optional<uint64_t> id) {
    P fields = P().number(8, time).message(53, P().number(1, 0).number(2, 7));
    if (id) fields.number(58, *id);
    return packet(fields);
  };
  const trace::Trace trace = read(snapshot + own + stage_at(50, {}) + stage_at(7, {}) +
                                  stage_at(2'000'000, 6) + stage_at(6'000'001, 1) + stage_at(5, 3));
  CHECK(
      dump(trace) ==
      "1000500 7 kernel  (0) 0 (unnamed operation)\n1000570 7 kernel  (0) 0 (unnamed operation)\n"
      "2000000 7 kernel  (0) 0 (unnamed operation)\n2000001 7 kernel  (0) 0 (unnamed operation)\n");
  CHECK(trace.clock.utc_ns == 4'000'000);
  CHECK(dropped(trace) == "1 operation without a time that is known\n");
  CHECK(read(stage_at(1'786'000'000'000'000'000, {})).clock.utc_ns == 0);
  CHECK(!read(stage_at(70, {})).clock.utc_ns);
}

TEST_CASE("compressed packets are read in place") {
  const std::string inside = stage(1000, 40, 1, 100, {extra("stream id", "7")});
  const auto packed = [](uint32_t field, std::string_view bytes) {
    return P().message(1, P().text(field, bytes)).bytes();
  };
  const std::string expected = "1000 40 kernel  (3) 7 gemm\n";
  CHECK(dump(read(tables(50) + packed(50, deflated(inside)))) == expected);
  CHECK(dump(read(tables(50) + packed(133, zstd(inside)))) == expected);
  CHECK(dropped(read(tables(50) + packed(50, deflated(packed(50, deflated(inside)))))) ==
        "1 compressed packets within others\n");
  for (const uint32_t field : {50U, 133U}) {
    const std::string whole = field == 50 ? deflated(inside) : zstd(inside);
    CHECK(dropped(read(tables(50) + packed(field, whole.substr(0, whole.size() / 2)))) ==
          "1 compressed packets that are damaged or too large\n");
    const std::string zeros(size_t{70} << 20, '\0');
    const std::string bomb = field == 50 ? deflated(zeros) : zstd(zeros);
    CHECK(dropped(read(tables(50) + packed(field, bomb))) ==
          "1 compressed packets that are damaged or too large\n");
  }
}

TEST_CASE("of packed packets, what is more than a block may unpack is read as well") {
  std::string inside;
  for (uint64_t i = 0; inside.size() < size_t{9} << 20; ++i) {
    inside += stage(1000 + i, 1, 1, 100, {extra("stream id", "7")});
  }
  const auto packed = [](std::string_view bytes) {
    return P().message(1, P().text(50, deflated(bytes))).bytes();
  };
  const std::string last = stage(5, 1, 1, 100, {extra("stream id", "7")});
  const trace::Trace one = read(tables(50) + packed(inside));
  const trace::Trace three = read(tables(50) + packed(inside) + packed(inside) +
                                  packed(last + "\x0a\x05") + packed(packed(last)));
  CHECK(one.operations.size() > 100'000);
  CHECK(three.operations.size() == 2 * one.operations.size() + 1);
  CHECK(dropped(three) ==
        "1 compressed packets that cannot be decoded\n1 compressed packets within others\n");
}

TEST_CASE("blocks of packets on several threads give the same trace") {
  std::string bytes = torch();
  for (uint64_t i = 0; i < 200; ++i) {
    const uint64_t at_ns = 2000 + 100 * i;
    bytes +=
        begin(at_ns, 2, "cuda_runtime", fmt::format("call{}", i % 7), {note("correlation", i)});
    bytes += end(at_ns + 10 + i, 2);
    bytes += stage(at_ns + 20, i, 1 + i % 2, 100, {extra("stream id", fmt::format("{}", i % 3))});
    if (i % 50 == 3) bytes += P().text(1, "\x0b").bytes();                          // no message
    if (i % 50 == 7) bytes += packet(P().number(42, 1)) + stage(1, 1, 1, 100, {});  // lost
    if (i % 50 == 9) bytes += tables(50);
    if (i % 50 == 11) bytes += packet(P().text(50, deflated(torch())));
  }
  const auto all_of = [&](unsigned threads, size_t block_size) {
    trace::OpenOptions options = everything();
    options.threads = threads;
    options.block_size = block_size;
    const trace::Trace trace = read(bytes, options);
    std::string out = dump(trace) + calls_of(trace) + ranges_of(trace);
    for (const trace::DroppedRecords& one : trace.dropped) {
      out += fmt::format("{} {} {}\n", one.count, one.what, one.first_offset);
    }
    return out;
  };
  const std::string expected = all_of(1, size_t{1} << 20);
  CHECK(expected.find("packet that cannot be decoded") != std::string::npos);
  CHECK(expected.find("packet that refers to what was lost") != std::string::npos);
  for (const unsigned threads : {1U, 2U, 4U}) {
    for (const size_t block_size : {size_t{100}, size_t{1000}, size_t{5000}}) {
      CAPTURE(threads);
      CAPTURE(block_size);
      CHECK(all_of(threads, block_size) == expected);
    }
  }
}

TEST_CASE("a trace that ends at any byte") {
  const std::string bytes = torch() + packet(P().text(50, deflated(torch())));
  std::vector<size_t> ends;  // of packets
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    const std::string_view cut = std::string_view(bytes).substr(0, size);
    CHECK(error_in(cut, true).empty());
    if (error_in(cut).empty()) ends.push_back(size);
  }
  CHECK(ends.size() == 15);
}

TEST_CASE("hostile packets are counted, or refused") {
  const std::string good = tables(50) + stage(1000, 40, 1, 100, {extra("stream id", "7")});
  const auto with = [&](const P& fields) {
    return dropped(read(good + P().message(1, fields).bytes()));
  };
  const std::string endless(11, '\xff');
  CHECK(with(P().text(2000, "x").number(2001, 1)).empty());
  // A varint without an end, groups, and a length beyond the packet.
  CHECK(dropped(read(good + P().text(1, "\x40" + endless).bytes())) ==
        "1 packet that cannot be decoded\n");
  CHECK(dropped(read(good + P().text(1, "\x0b").bytes())) == "1 packet that cannot be decoded\n");
  CHECK(dropped(read(good + P().text(1, "\x5a\xff\xff\xff\x7f").bytes())) ==
        "1 packet that cannot be decoded\n");
  CHECK(error_in(good + endless).find("no field") != std::string::npos);
  CHECK(error_in(good + "\x0a\xff\xff\xff\xff\x07").find("cut off") != std::string::npos);
  std::string many;
  for (uint64_t sequence = 1; sequence < 66'000; ++sequence) many += packet(P(), sequence);
  CHECK(error_in(many).find("sequences of packets") != std::string::npos);
  // Each field in each wire type.
  for (const uint32_t field : {6U, 8U, 10U, 11U, 12U, 13U, 50U, 52U, 53U, 58U, 59U, 60U, 133U}) {
    for (const P& fields : {P().number(field, UINT64_MAX), P().fixed(field, UINT64_MAX),
                            P().text(field, endless), P().text(field, "")}) {
      CAPTURE(field);
      CHECK(dump(read(good + P().message(1, fields).bytes())) == "1000 40 kernel  (3) 7 gemm\n");
    }
  }
  // Tracks that are each other's parents, times and numbers that do not fit.
  const auto track = [](uint64_t uuid, uint64_t parent) {
    return P().message(1, P().message(60, P().number(1, uuid).number(5, parent))).bytes();
  };
  CHECK(calls_of(read(track(2, 3) + track(3, 2) + track(4, 4) +
                      begin(1, 2, "cuda_runtime", "a", {note("correlation", 1)}) + end(2, 2) +
                      good)) == "-\n");
  const trace::Trace far =
      read(good + stage(UINT64_MAX, 1, 1, 100, {}) + stage(1001, UINT64_MAX, 1, 100, {}) +
           begin(20, 3, "kernel", "k", {note("device", UINT64_MAX), note("stream", UINT64_MAX)}) +
           end(10, 3));
  CHECK(far.untimed.size() == 2);
  CHECK(far.operations.size() == 3);
}

}  // namespace kr::test::perfetto_packets_test
