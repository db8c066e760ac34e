#include "trace/call_sites.hpp"

#include <doctest/doctest.h>

#include <string>

#include "unit/trace/support.hpp"

using namespace kr;
using namespace kr::trace;

TEST_CASE("frames of a program's own Python") {
  CHECK(is_call_site("vllm/worker.py(120): execute_model"));
  CHECK(is_call_site("train.py(7): main"));
  CHECK(is_call_site("/venv/lib/python3.10/site-packages/vllm/a.py(1): f"));
  for (const char* not_one :
       {"", "<built-in function len>", "<frozen _collections_abc>(804): get",
        "torch/nn/modules/module.py(1743): _call_impl", "triton/runtime/jit.py(325): run",
        "/venv/lib/python3.10/site-packages/torch/a.py(1): f", "/usr/lib/python3.10/site.py(1): f",
        "contextlib.py(81): inner", "concurrent/futures/thread.py(58): run", "a.py(x): f",
        "a.py(): f", "a.py(1)", "(1): f", "nn.Module: Linear_0"}) {
    CAPTURE(not_one);
    CHECK(!is_call_site(not_one));
  }
  const CallSite site = call_site_from("vllm/worker.py(120): f(x): g");
  CHECK(site.file == "vllm/worker.py");
  CHECK(site.line == "120");
  CHECK(site.function == "f(x): g");
}

TEST_CASE("an operation comes from the innermost frame around its launch") {
  const test::Folder folder;
  const std::string path = folder.write("t.json", R"({"traceEvents":[
    {"ph":"X","cat":"python_function","name":"a.py(1): outer","pid":1,"tid":1,"ts":0,"dur":100},
    {"ph":"X","cat":"python_function","name":"b.py(2): inner","pid":1,"tid":1,"ts":10,"dur":10},
    {"ph":"X","cat":"python_function","name":"torch/c.py(3): op","pid":1,"tid":1,"ts":11,"dur":5},
    {"ph":"X","cat":"python_function","name":"d.py(4): bad","pid":1,"tid":1,"ts":-1,"dur":5},
    {"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":1,"ts":12,"dur":1,"args":{"correlation":1}},
    {"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":1,"ts":30,"dur":1,"args":{"correlation":2}},
    {"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":2,"ts":30,"dur":1,"args":{"correlation":3}},
    {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":40,"dur":1,"args":{"device":0,"correlation":1}},
    {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":50,"dur":1,"args":{"device":0,"correlation":2}},
    {"ph":"X","cat":"kernel","name":"k3","pid":0,"tid":7,"ts":60,"dur":1,"args":{"device":0,"correlation":3}}
  ]})");
  OpenOptions options;
  options.host = HostDetail::all;
  CHECK(find_call_sites(open_trace(path, options)).empty());
  options.call_sites = true;
  const Trace trace = open_trace(path, options);
  const auto sites = find_call_sites(trace);
  REQUIRE(sites.size() == 3);
  const auto name = [&](size_t i) { return trace.host->frames->ops[sites[i]].name; };
  CHECK(name(0) == "b.py(2): inner");
  CHECK(name(1) == "a.py(1): outer");
  CHECK(sites[2] == HostRange::none);  // of another thread
  REQUIRE(trace.dropped.size() == 1);
  CHECK(trace.dropped[0].count == 1);
}
