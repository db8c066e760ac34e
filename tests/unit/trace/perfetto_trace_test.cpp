// Perfetto's protobuf traces: what their events mean, and how slices are paired.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "perfetto_packets.hpp"

namespace kr::test::perfetto_trace_test {

using namespace perfetto_packets;

TEST_CASE("render stages are operations, and calls launch them by their correlation") {
  const std::string bytes = torch();
  for (const size_t block_size : {size_t{1}, size_t{50}, size_t{1} << 18}) {
    trace::OpenOptions options = everything();
    options.block_size = block_size;
    const trace::Trace trace = read(bytes, options);
    CHECK(dump(trace) == "1000 40 kernel  (3) 7 gemm\n1040 5 memcpy  (3) 7 Memcpy\n");
    CHECK(calls_of(trace) == "cudaLaunchKernel 110 5 50:51\ncudaMemcpyAsync 120 10 50:51\n");
    CHECK(ranges_of(trace) == "100 200 module Linear_0\n");
    CHECK(dropped(trace).empty());
    CHECK(trace.warnings.empty());
    CHECK(trace.lost_streams.empty());
  }
}

TEST_CASE("slices that a program writes while it runs nest") {
  const auto call = [](uint64_t time, std::string_view name, uint64_t correlation) {
    return begin(time, 2, "cuda_runtime", name, {note("correlation", correlation)});
  };
  const std::string stages =
      stage(1000, 40, 1, 100, {extra("stream id", "7"), extra("correlation", "1")}) +
      stage(2000, 40, 1, 100, {extra("stream id", "7"), extra("correlation", "2")}) +
      stage(3000, 40, 1, 100, {extra("stream id", "7"), extra("correlation", "3")});
  const std::string head = thread(2, 0, 50, 51) + tables(50);
  // Two open at once, then a third inside the first.
  CHECK(calls_of(read(head + call(10, "a", 1) + call(20, "b", 2) + end(30, 2) + end(40, 2) +
                      stages)) == "a 10 30 50:51\nb 20 10 50:51\n-\n");
  CHECK(calls_of(read(head + call(10, "a", 1) + call(20, "b", 2) + end(30, 2) + call(32, "c", 3) +
                      end(34, 2) + end(40, 2) + stages)) ==
        "a 10 30 50:51\nb 20 10 50:51\nc 32 2 50:51\n");
  // A group whose ends are in the order of the beginnings, and one of equal times.
  CHECK(calls_of(read(head + call(10, "a", 1) + call(40, "b", 2) + end(40, 2) + end(50, 2) +
                      stages)) == "a 10 30 50:51\nb 40 10 50:51\n-\n");
  CHECK(dropped(read(head + call(10, "a", 1) + stages)) == "1 slice that does not end\n");
  CHECK(dropped(read(head + end(10, 2) + stages)) == "1 end of a slice that has not begun\n");
}

TEST_CASE("rocprofv3: crossing slices, and the times that it measured") {
  const auto dispatch = [](uint64_t drawn, uint64_t from, uint64_t to) {
    return begin(
        drawn, 3, "kernel_dispatch", "k [clone .kd]",
        {note("begin_ns", from), note("end_ns", to), P().text(10, "agent").text(6, "GPU-2"),
         note("stream_ID", 4), note("corr_id", 1)});
  };
  const trace::Trace trace =
      read(dispatch(10, 11, 29) + end(30, 3) + dispatch(20, 20, 40) + end(40, 3) +
           begin(50, 3, "memory_copy", "MEMORY_COPY_DEVICE_TO_HOST",
                 {P().text(10, "src_agent").number(3, 2), P().text(10, "dst_agent").number(3, 0),
                  note("stream_ID", 4)}) +
           end(60, 3));
  CHECK(dump(trace) ==
        "11 18 kernel  (2) 4 k\n20 20 kernel  (2) 4 k\n"
        "50 10 memcpy  (2) 4 MEMORY_COPY_DEVICE_TO_HOST\n");
}

TEST_CASE("rocprofv3 moves the boundary of kernels that overlap") {
  const auto dispatch = [](uint64_t from, uint64_t to, std::string_view stream_key) {
    return begin(from, 3, "kernel_dispatch", "k",
                 {note("begin_ns", from), note("end_ns", to),
                  P().text(10, "agent").text(6, "GPU-2"), note(stream_key, 4)}) +
           end(to, 3);
  };
  const auto noted = [](const trace::Trace& trace) {
    return trace.warnings.empty()
               ? ""
               : trace.warnings[0].code + ' ' + trace.warnings[0].text.substr(0, 15);
  };
  const auto all = [&](std::string_view key) {
    return dispatch(10, 20, key) + dispatch(20, 25, key) + dispatch(26, 30, key);
  };
  CHECK(noted(read(all("stream_ID"))) == "moved-boundaries 1 of 3 kernels ");
  CHECK(noted(read(dispatch(10, 20, "stream_ID") + dispatch(26, 30, "stream_ID"))).empty());
  // Of 2024: slices cross instead.
  CHECK(!noted(read(all("queue"))).starts_with("moved"));
}

TEST_CASE("what kr wrote: slices nest as they stand, and say of themselves what they are") {
  const auto attribute = [](std::string_view key, std::string_view text) {
    return P().text(1, key).text(3, text);
  };
  const auto own = [&](uint64_t rank) {
    P all;
    all.message(1, attribute("kr.version", "1")).message(1, attribute("kr.device.-1", "GPU A"));
    all.message(1, P().text(1, "kr.rank").number(2, rank))
        .message(1, attribute("kr.backend", "nccl"));
    return packet(P().message(126, all));
  };
  const auto list = [](std::string_view key, const std::vector<std::string_view>& texts) {
    P made = P().text(10, key);
    for (const std::string_view text : texts) made.message(12, P().text(6, text));
    return made;
  };
  P device = P().text(10, "device").number(4, static_cast<uint64_t>(-1));
  // A thread, and a track below it for what crosses; an empty slice within another.
  const std::string below = packet(P().message(60, P().number(1, 4).number(5, 2).text(2, "more")));
  const std::string slices =
      process(1, 50, "rank 3") + thread(2, 1, 50, 51) + below +
      begin(10, 2, "user_annotation", "a", {P().text(10, "kr.form").text(6, "push_pop")}) +
      begin(12, 2, "cuda_runtime", "call", {note("correlation", 9)}) + end(12, 2) +
      begin(11, 4, "user_annotation", "b") + end(30, 4) + end(20, 2) +
      begin(40, 7, "label", "gemm") +
      begin(40, 7, "gpu_operation.kernel", "Memcpy k.kd",
            {device, note("stream", 5), note("correlation", 9), list("module_path", {"m", "m.x"}),
             list("annotations", {"phase=1"})}) +
      end(50, 7) + end(50, 7);
  const trace::Trace trace = read(own(3) + slices);
  CHECK(dump(trace) == "40 10 kernel GPU A (-1) 5 Memcpy k.kd\n");
  CHECK(calls_of(trace) == "call 12 0 50:51\n");
  CHECK(ranges_of(trace) ==
        "10 20 annotation a\n11 30 annotation b\n" +
            std::string("1 6 module m\n2 5 module m.x\n3 4 annotation phase=1\n"));
  CHECK(trace.host->ranges[0].form == trace::HostRange::Form::push_pop);
  CHECK(trace.distributed.rank == 3);
  CHECK(trace.distributed.backend == "nccl");
  // Of two one after the other none is the rank of both.
  CHECK(!read(own(3) + own(4) + slices).distributed.rank);
}

TEST_CASE("several processes are members: neither numbers nor tracks of equal ids mix") {
  const auto rank = [](uint64_t pid, std::string_view name, uint64_t time) {
    return process(1, pid, name) + thread(2, 1, pid, pid) + tables(pid) +
           begin(time, 2, "cuda_runtime", "cudaLaunchKernel", {note("correlation", 8)}) +
           end(time + 10, 2) +
           stage(time + 20, 40, 1, 100, {extra("stream id", "7"), extra("correlation", "8")});
  };
  const auto check = [&](std::string_view first, std::string_view second, std::string_view member,
                         std::optional<int64_t> number) {
    const std::vector<trace::Trace> traces =
        read_members(rank(50, first, 1000) + rank(60, second, 2000));
    REQUIRE(traces.size() == 2);
    CHECK(traces[1].distributed.member == member);
    CHECK(traces[1].distributed.rank == number);
    CHECK(calls_of(traces[0]) == "cudaLaunchKernel 1000 10 50:50\n");
    CHECK(calls_of(traces[1]) == "cudaLaunchKernel 2000 10 60:60\n");
  };
  check("Rank 0", "Rank 1", "rank 1", 1);
  check("python", "python", "process 60", std::nullopt);
  check("Rank 0", "rank 0", "process 60", std::nullopt);
}

TEST_CASE("slices without categories: those of a stream are operations") {
  const trace::Trace trace = read(
      thread(2, 0, 50, 51) + begin(10, 2, "", "cudaLaunchKernel", {note("correlation", 3)}) +
      end(20, 2) + begin(5, 2, "", "ProfilerStep#4", {note("External id", 1)}) + end(50, 2) +
      begin(6, 2, "", "aten::add", {note("External id", 2)}) + end(30, 2) +
      begin(6, 2, "", "g.py(1): f", {note("Python id", 2)}) + end(31, 2) +
      begin(100, 9, "", "gemm",
            {note("device", 1), note("stream", 7), note("correlation", 3),
             P().text(10, "grid")
                 .message(12, P().number(4, 2))
                 .message(12, P().number(4, 3))
                 .message(12, P().number(4, 4)),
             P().text(10, "block").text(6, "[128, 1, 1]")}) +
      end(120, 9) +
      begin(110, 9, "", "Stream Synchronize",
            {note("device", 1), note("stream", 7), P().text(10, "cuda_sync_kind").text(6, "x")}) +
      end(130, 9));
  CHECK(dump(trace) == "100 20 kernel  (1) 7 gemm\n");
  CHECK(calls_of(trace) == "cudaLaunchKernel 10 10 50:51\n");
  CHECK(ranges_of(trace) == "5 50 annotation ProfilerStep#4\n");
  const trace::OperationDetail& detail = trace.details->of(0);
  CHECK(detail.get(trace::DetailField::grid_z) == 4);
  CHECK(detail.get(trace::DetailField::block_x) == 128);
}

TEST_CASE("annotations of graph nodes say modules, and Proton's call stacks") {
  const trace::Trace graph =
      read(tables(50) +
           stage(10, 5, 1, 101,
                 {extra("stream id", "13"), extra("correlation", "1"), extra("graph id", "2"),
                  extra("graph node id", "3"), extra("module_fqn", "layers.0.mlp"),
                  extra("autograd_phase", "backward"), extra("name", "up"),
                  extra("Process Group Description", "tp"), extra("In msg nelems", "8")}));
  CHECK(ranges_of(graph) ==
        "1 8 module layers.0\n2 7 module layers.0.mlp\n3 6 annotation autograd_phase=backward\n"
        "4 5 annotation up\n");
  CHECK(graph.details->of(0).get(trace::DetailField::graph_node) == (int64_t{2} << 32 | 3));
  REQUIRE(graph.collectives);
  CHECK(graph.collectives->calls[0].name == "up");
  CHECK(graph.collectives->calls[0].in_elements == 8);
  REQUIRE(graph.warnings.size() == 1);  // the lane is not the stream
  CHECK(graph.warnings[0].code == "clamped-durations");
  const auto level = [](int number, std::string_view text) {
    return P().text(10, fmt::format("call_stack_{}", number)).text(6, text);
  };
  const trace::Trace proton =
      read(packet(P().message(60, P().number(1, 9).text(2, "GPU Stream 13"))) +
           begin(10, 9, "kernel", "gemm",
                 {level(0, "ROOT"), level(1, "step_1"), level(2, "<captured_at>"),
                  level(3, "model"), level(4, "gemm")}) +
           end(15, 9));
  CHECK(dump(proton) == "10 5 kernel  (0) 13 gemm\n");
  CHECK(ranges_of(proton) == "1 4 annotation step_1\n2 3 module model\n");
}

TEST_CASE("values of counters hold until their time, or from it on") {
  const auto sample = [](uint64_t time, uint64_t id, uint64_t value) {
    return packet(
        at(time).message(52, P().number(4, 1).message(2, P().number(1, id).number(2, value))));
  };
  const std::string descriptor = packet(P().number(13, 1).message(
      12,
      P().message(47, P().number(1, 1).number(3, 2).message(
                          2, P().message(1, P().number(1, 0).text(2, "back"))
                                 .message(1, P().number(1, 1).text(2, "ahead").number(11, 2))))));
  const trace::Trace trace = read(descriptor + sample(20, 0, 1) + sample(30, 0, 2) +
                                  sample(20, 1, 3) + sample(30, 1, 4) + sample(40, 5, 4));
  REQUIRE(trace.gpu_metrics);
  std::string all;
  for (const trace::GpuMetric& metric : trace.gpu_metrics->metrics) {
    for (const trace::MetricSample& one : metric.samples) {
      all += fmt::format("{} {} {} {}\n", metric.gpu, metric.name, one.time_ns, one.value);
    }
  }
  CHECK(all == "2 ahead 20 3\n2 ahead 30 4\n2 back 10 1\n2 back 20 2\n");
  CHECK(dropped(trace) == "1 GPU metric sample of an unknown metric\n");
}

TEST_CASE("counters go to the process that has the device") {
  const auto rank = [](uint64_t pid, uint64_t device) {
    const P work = P().number(1, 1).number(2, 5).number(5, 1).number(11, device);
    return tables(pid) + packet(at(10).message(53, work));
  };
  const std::string sample = packet(P().number(8, 20).message(
      52, P().number(3, 3)
              .message(1, P().message(1, P().number(1, 1).text(2, "Power (W)")))
              .message(2, P().number(1, 1).number(2, 300))));
  const std::vector<trace::Trace> apart = read_members(rank(50, 2) + rank(60, 3) + sample);
  REQUIRE(apart.size() == 2);
  CHECK(!apart[0].gpu_metrics);
  REQUIRE(apart[1].gpu_metrics);
  CHECK(apart[1].gpu_metrics->metrics[0].samples[0].value == 300);
  const std::vector<trace::Trace> shared = read_members(rank(50, 3) + rank(60, 3) + sample);
  REQUIRE(shared.size() == 2);
  CHECK(dropped(shared[0]).find("1 GPU metric sample of no rank, or of several\n") !=
        std::string::npos);
}

TEST_CASE("only queues or lanes: streams are lost") {
  CHECK(!read(tables(50) + stage(10, 5, 1, 100, {})).lost_streams.empty());
  const std::vector<P> node{note("device", 0), note("stream", 62), note("graph node id", 9),
                            P().text(10, "module_fqn").text(6, "norm")};
  CHECK(!read(begin(10, 9, "kernel", "k", node) + end(15, 9)).lost_streams.empty());
}

}  // namespace kr::test::perfetto_trace_test
