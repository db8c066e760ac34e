#include <doctest/doctest.h>

#include "job/member.hpp"

using kr::job::CollectiveKind;

TEST_CASE("collectives are known by what PyTorch calls them") {
  struct Case {
    const char* name;
    CollectiveKind kind;
  };
  for (const Case& one :
       {Case{"allreduce", CollectiveKind::all_reduce},
        Case{"allreduce_coalesced", CollectiveKind::all_reduce},
        Case{"_allgather_base", CollectiveKind::all_gather},
        Case{"all_gather_into_tensor_out", CollectiveKind::all_gather},
        Case{"reduce_scatter_tensor_coalesced", CollectiveKind::reduce_scatter},
        Case{"_reduce_scatter_base", CollectiveKind::reduce_scatter},
        Case{"all_to_allv", CollectiveKind::all_to_all},
        Case{"_broadcast_oop", CollectiveKind::broadcast},
        Case{"_reduce_oop", CollectiveKind::reduce}, Case{"gather", CollectiveKind::gather},
        Case{"scatter", CollectiveKind::scatter}, Case{"barrier", CollectiveKind::barrier},
        Case{"send", CollectiveKind::send}, Case{"recv", CollectiveKind::receive},
        Case{"wait", CollectiveKind::other}}) {
    CAPTURE(one.name);
    CHECK(kr::job::kind_of_call(one.name) == one.kind);
  }
}

TEST_CASE("collectives are known by their kernels") {
  struct Case {
    const char* name;
    CollectiveKind kind;
  };
  for (const Case& one :
       {Case{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
             CollectiveKind::all_reduce},
        Case{"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", CollectiveKind::all_reduce},
        Case{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
             CollectiveKind::send_receive},
        Case{"ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
             CollectiveKind::reduce_scatter},
        Case{"ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
             CollectiveKind::reduce},
        Case{"ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
             CollectiveKind::broadcast},
        Case{"ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", CollectiveKind::other},
        Case{"void vllm::cross_device_reduce_2stage<__nv_bfloat16, 2>(vllm::RankData*)",
             CollectiveKind::all_reduce},
        Case{"_all_gather_kernel", CollectiveKind::all_gather}}) {
    CAPTURE(one.name);
    CHECK(kr::job::kind_of_kernel(one.name) == one.kind);
  }
}

TEST_CASE("bytes are those that the bandwidth counts") {
  using kr::job::bytes_of;
  CHECK(bytes_of(CollectiveKind::all_reduce, 10, 10, "Float") == 40);
  CHECK(bytes_of(CollectiveKind::all_gather, 10, 80, "BFloat16") == 160);
  CHECK(bytes_of(CollectiveKind::reduce_scatter, 80, 10, "Float8_e4m3fn") == 80);
  CHECK(bytes_of(CollectiveKind::all_reduce, 10, 10, "Quaternion") < 0);
  CHECK(bytes_of(CollectiveKind::all_reduce, -1, 10, "Float") < 0);
  CHECK(bytes_of(CollectiveKind::all_reduce, INT64_MAX, 1, "Half") < 0);
  CHECK(bytes_of(CollectiveKind::barrier, 1, 1, "Float") < 0);
}
