#include "ncu/gpus.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "base/error.hpp"

namespace {

std::string found(std::string_view name) {
  const kr::ncu::GpuPeaks* gpu = kr::ncu::find_gpu(name);
  return gpu == nullptr ? "" : gpu->name;
}

std::string error_of(std::string_view name) {
  try {
    kr::ncu::find_gpu(name);
  } catch (const kr::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("GPUs are found as traces and people spell them") {
  CHECK(found("NVIDIA H100 80GB HBM3") == "H100 SXM");
  CHECK(found("H100-SXM5-80GB") == "H100 SXM");
  CHECK(found("h100 sxm") == "H100 SXM");
  CHECK(found("NVIDIA H100 PCIe") == "H100 PCIe");
  CHECK(found("NVIDIA H100 NVL") == "H100 NVL");
  CHECK(found("NVIDIA H200") == "H200 SXM");
  CHECK(found("NVIDIA A100-SXM4-40GB") == "A100 SXM 40GB");
  CHECK(found("NVIDIA A100 80GB PCIe") == "A100 PCIe 80GB");
  CHECK(found("Tesla V100-SXM2-16GB") == "V100 SXM2");
  CHECK(found("Tesla T4") == "T4");
  CHECK(found("NVIDIA A10") == "A10");
  CHECK(found("L40s") == "L40S");
  CHECK(found("NVIDIA GeForce RTX 5090") == "GeForce RTX 5090");
  CHECK(found("rtx4090").empty());
  CHECK(found("4090") == "GeForce RTX 4090");
  CHECK(found("NVIDIA RTX 6000 Ada Generation") == "RTX 6000 Ada");
  CHECK(found("NVIDIA GH200 480GB") == "GH200 96GB");
  CHECK(found("NVIDIA B200") == "B200");
  CHECK(found("AMD Instinct MI300X") == "MI300X");
  CHECK(found("mi300x") == "MI300X");
}

TEST_CASE("each GCD of an MI250X is a device, so that is what traces mean") {
  CHECK(found("AMD Instinct MI250X") == "MI250X, one GCD");
  CHECK(error_of("MI250X").find("MI250X, one GCD; MI250X, both GCDs") != std::string::npos);
}

TEST_CASE("a name that several GPUs have names them") {
  CHECK(error_of("A100") ==
        "several GPUs are called `A100`; name one of them: A100 SXM 40GB; A100 SXM 80GB; A100 PCIe "
        "40GB; A100 PCIe 80GB");
  CHECK(error_of("h100").find("H100 SXM; H100 PCIe; H100 NVL") != std::string::npos);
}

TEST_CASE("parts and relatives of a GPU have other peaks") {
  for (const char* name : {"", "GPU", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "Quadro RTX 6000",
                           "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 4090 D",
                           "NVIDIA A10G", "NVIDIA RTX 6000", "GeForce GTX 1080"}) {
    CAPTURE(name);
    CHECK(found(name).empty());
  }
  CHECK_THROWS_WITH_AS(kr::ncu::named_gpu("MI300", "--gpu"),
                       "--gpu: no data sheet of the GPU `MI300`; did you mean `MI300X`? `kr list "
                       "gpus` shows those that kr knows",
                       kr::Error);
}

TEST_CASE("every GPU is found by its own name, and its peaks make sense") {
  std::set<std::string> names;
  CHECK(kr::ncu::gpus().size() > 30);
  for (const kr::ncu::GpuPeaks& gpu : kr::ncu::gpus()) {
    CAPTURE(gpu.name);
    CHECK(names.insert(gpu.name).second);
    CHECK(kr::ncu::find_gpu(gpu.name) == &gpu);
    CHECK_FALSE(gpu.source.empty());
    CHECK(gpu.fp32 >= gpu.fp64);
    CHECK((gpu.fp16_tensor == 0 || gpu.fp16_tensor > gpu.fp32));
    CHECK((gpu.bf16_tensor == 0 || gpu.bf16_tensor == gpu.fp16_tensor));
    CHECK((gpu.fp8_tensor == 0 ||
           gpu.fp8_tensor == doctest::Approx(2 * gpu.fp16_tensor).epsilon(0.02)));
    CHECK((gpu.tf32 == 0 || gpu.tf32 == doctest::Approx(gpu.fp16_tensor / 2).epsilon(0.03)));
    CHECK(gpu.dram_bytes_per_s >= 300e9);
    CHECK(gpu.dram_bytes_per_s <= 8e12);
    CHECK((gpu.l2_bytes_per_s == 0 || gpu.l2_bytes_per_s > gpu.dram_bytes_per_s));
  }
  CHECK(kr::ncu::find_gpu("H100 SXM")->bf16_tensor == 989.4e12);
  CHECK(kr::ncu::find_gpu("H100 SXM")->dram_bytes_per_s == 3350e9);
  CHECK(kr::ncu::find_gpu("H100 SXM")->sms == 132);
  CHECK(kr::ncu::find_gpu("MI210")->fp64 == 22.6e12);
  // What has no source has no figure.
  CHECK(kr::ncu::find_gpu("RTX 6000 Ada")->fp16_tensor == 0);
  CHECK(kr::ncu::find_gpu("V100 PCIe")->l2_bytes_per_s == 0);
}
