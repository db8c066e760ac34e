#include <doctest/doctest.h>

#include "support.hpp"

using namespace kr::test;

TEST_CASE("schema: types by unit, nothing but what is documented, dimensions by any name") {
  const kr::TableInfo labelled{"labelled",
                               "labelled \"names\"",
                               "One row per name.",
                               {{"name", Unit::text, Role::key, "The name."},
                                {"*", Unit::text, Role::key, "The label.", true},
                                {"launch_mean", Unit::count, Role::measure, "A mean.", true},
                                {"total_ns", Unit::ns, Role::measure, "A time.", true}}};
  const std::vector<const kr::TableInfo*> infos{&units_info, &runs_info, &labelled};
  CHECK(kr::render::json_schema(infos) ==
        R"({"$schema":"https://json-schema.org/draft/2020-12/schema",
"title":"Results of kr","type":"object",
"required":["kr","schema","tables"],"additionalProperties":false,
"properties":{
"kr":{"description":"The version of kr.","type":"string"},
"schema":{"description":"It grows when a column is removed or changes its meaning.","const":3},
"runs":{"title":"runs","description":"One row per run.","type":"array","items":{"type":"object","properties":{
"run":{"type":"string","description":"The run."}},
"required":["run"],"additionalProperties":false}},
"tables":{"description":"The results. A table is an array with one object per row.","type":"object","additionalProperties":false,"properties":{
"units":{"title":"all units","description":"One row per odd text.","type":"array","items":{"type":"object","properties":{
"run":{"type":"string","description":"The run."},
"name":{"type":"string","description":"An odd text."},
"device":{"type":"integer","description":"The device."},
"calls":{"type":"integer","description":"Calls."},
"total_ns":{"type":"integer","description":"Their time."},
"mean_ns":{"type":["number","null"],"description":"Time per call."},
"size":{"type":"integer","description":"Bytes."},
"share":{"type":"number","description":"Part of all time."},
"speedup":{"type":"number","description":"How much faster."},
"rate":{"type":"number","description":"Calls per second."},
"work":{"type":"number","description":"Work."},
"load":{"type":"number","description":"Load."},
"clock":{"type":"number","description":"Clock."},
"seen":{"type":"boolean","description":"Whether it was seen."},
"reason":{"type":["string","null"],"description":"A reason."}},
"required":["run","name","device","calls","total_ns","mean_ns","size","share","speedup","rate","work","load","clock","seen","reason"],"additionalProperties":false}},
"labelled":{"title":"labelled \"names\"","description":"One row per name.","type":"array","items":{"type":"object","properties":{
"name":{"type":"string","description":"The name."},
"launch_mean":{"type":["number","null"],"description":"A mean."},
"total_ns":{"type":["integer","null"],"description":"A time."}},
"required":["name","launch_mean","total_ns"],"additionalProperties":{"type":["string","null"]}}}}}}}
)");
}
