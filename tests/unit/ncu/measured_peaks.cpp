#include "ncu/measured_peaks.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "ncu/groups.hpp"
#include "ncu/roof.hpp"

namespace kr::test::measured_peaks_test {

const std::string header = "gpu\tpeak\tper_second\tsource\n";

/// Lines of an H100 with one source.
std::string line(const std::string& peak, const std::string& per_second) {
  return fmt::format("NVIDIA H100 80GB HBM3\t{}\t{}\ttoday\n", peak, per_second);
}

ncu::MeasuredPeaks read(const std::string& lines) {
  return ncu::parse_measured_peaks(header + lines, "peaks.tsv");
}

std::string error_of(const std::string& text) {
  try {
    (void)ncu::parse_measured_peaks(text, "peaks.tsv");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string error_of_lines(const std::string& lines) {
  return error_of(header + lines);
}

TEST_CASE("measured peaks are read by GPU and precision") {
  const ncu::MeasuredPeaks read_peaks = ncu::parse_measured_peaks(
      "# measured at night\n\n" + header +
          "NVIDIA H100 80GB HBM3\tbf16\t7.2e14\ttools/peaks, 2026-03-01\r\n"
          "# matmul\n"
          "h100 sxm\tfp64\t60000000000000\ttools/peaks, 2026-03-01\n"
          "H100-SXM5-80GB\tdram\t2.9e12\tbabelstream, 2026-03-02",
      "peaks.tsv");
  CHECK(read_peaks.warnings.empty());
  const ncu::GpuPeaks& peaks = read_peaks.peaks;
  CHECK(peaks.name == "H100 SXM");
  CHECK(peaks.bf16_tensor == doctest::Approx(7.2e14));
  CHECK(peaks.fp64 == doctest::Approx(6e13));
  CHECK(peaks.dram_bytes_per_s == doctest::Approx(2.9e12));
  CHECK(peaks.fp16_tensor == 0);
  CHECK(peaks.l2_bytes_per_s == 0);
  CHECK(peaks.source == "tools/peaks, 2026-03-01; babelstream, 2026-03-02");
  const ncu::GpuPeaks all =
      read(line("fp32", "5e13") + line("tf32", "3e14") + line("fp16", "7e14") +
           line("fp8", "1.3e15") + line("int8", "1.4e15"))
          .peaks;
  CHECK(all.fp32 == doctest::Approx(5e13));
  CHECK(all.tf32 == doctest::Approx(3e14));
  CHECK(all.fp16_tensor == doctest::Approx(7e14));
  CHECK(all.fp8_tensor == doctest::Approx(1.3e15));
  CHECK(all.int8_tensor == doctest::Approx(1.4e15));
  CHECK(all.source == "today");
}

TEST_CASE("a measured peak far above the data sheet is questioned") {
  // 989.4 TFLOP/s, of which 105 % are allowed.
  CHECK(read(line("bf16", "1.03e15")).warnings.empty());
  const ncu::MeasuredPeaks high = read(line("dram", "3e12") + line("bf16", "1.1e15"));
  REQUIRE(high.warnings.size() == 1);
  CHECK(high.warnings[0].code == "peaks-above-sheet");
  CHECK(
      high.warnings[0].text ==
      "Line 3: the measured peak of bf16 is 111 % of the data sheet of H100 SXM: compare the unit "
      "and the GPU, and measure with larger operands.");
  CHECK(high.peaks.bf16_tensor == doctest::Approx(1.1e15));
  // Data sheets have the vector units, and matrix units are twice as fast.
  CHECK(read(line("fp64", "6.6e13")).warnings.empty());
  CHECK(read(line("fp64", "7.1e13")).warnings.size() == 1);
  // Not in the data sheet.
  CHECK(ncu::parse_measured_peaks(header + "NVIDIA H100 NVL\tbf16\t1e20\ttoday\n", "p")
            .warnings.empty());
}

TEST_CASE("errors of measured peaks have the line and the remedy") {
  const std::string remedy = "; tools/peaks writes such files; see docs/roofline.md";
  CHECK(error_of("") == "peaks.tsv: the file has no measured peaks" + remedy);
  CHECK(error_of_lines("# nothing\n") == "peaks.tsv: the file has no measured peaks" + remedy);
  CHECK(error_of("\nbf16 7e14\n") ==
        "peaks.tsv:2: the columns of measured peaks are not gpu, peak, per_second and source, with "
        "tabs between them" +
            remedy);
  CHECK(
      error_of_lines("H100 SXM\tbf16\t7e14\n") ==
      "peaks.tsv:2: the line has 3 columns instead of 4; separate gpu, peak, per_second and source "
      "by tabs");
  CHECK(error_of_lines("H100 SXM\tbf16\t7e14\ta\tb\n").find("5 columns") != std::string::npos);
  CHECK(error_of_lines("MI300\tbf16\t7e14\ta\n") ==
        "peaks.tsv:2: gpu: no data sheet of the GPU `MI300`; did you mean `MI300X`? `kr list gpus` "
        "shows those that kr knows");
  CHECK(error_of_lines("A100\tbf16\t2e14\ta\n")
            .starts_with("peaks.tsv:2: several GPUs are called `A100`; name one of them"));
  CHECK(error_of_lines(line("bf16", "7e14") + "MI300X\tdram\t4e12\ta\n") ==
        "peaks.tsv:3: the GPU is MI300X, and that of the lines before is H100 SXM; write one file "
        "per GPU");
  CHECK(error_of_lines(line("bf61", "7e14")).starts_with("peaks.tsv:2: unknown peak `bf61`; "));
  CHECK(error_of_lines(line("bf16", "7e14") + line("bf16", "6e14")) ==
        "peaks.tsv:3: the peak `bf16` is on line 2, too; keep one of them");
  for (const char* number :
       {"", "fast", "7e14 FLOP/s", "7,2e14", "0x1p50", "nan", "inf", "1e999"}) {
    CAPTURE(number);
    CHECK(error_of_lines(line("bf16", number)) ==
          fmt::format("peaks.tsv:2: `{}` is not a number; write operations or bytes per second, "
                      "such as 7.2e14",
                      number));
  }
  for (const char* number : {"0", "-7e14", "0.0"}) {
    CAPTURE(number);
    CHECK(error_of_lines(line("bf16", number)) ==
          fmt::format("peaks.tsv:2: the peak {} is not above 0; leave out what was not measured",
                      number));
  }
  // TFLOP/s and GB/s.
  CHECK(
      error_of_lines(line("bf16", "720")) ==
      "peaks.tsv:2: bf16 720 per second cannot be: the data sheet of H100 SXM has 9.894e+14; write "
      "operations or bytes per second, without a prefix such as tera");
  CHECK(error_of_lines(line("dram", "2.9e15")).find("cannot be") != std::string::npos);
  CHECK(error_of_lines("H100 SXM\tbf16\t7e14\t\n") ==
        "peaks.tsv:2: the peak has no source; write what measured it, and when");
}

TEST_CASE("rates of a kernel with measured peaks have no other peaks") {
  using ncu::Measure;
  ncu::MeasuredKernel kernel;
  kernel.measures.set(Measure::tensor_flops_per_s, 30e12);
  kernel.measures.set(Measure::dram_bytes_per_s, 1e12);
  kernel.measures.set(Measure::tensor_peak_per_s, 100e12);
  kernel.measures.set(Measure::dram_peak_bytes_per_s, 4e12);
  kernel.measures.set(Measure::fp32_peak_per_s, 10e12);
  kernel.tensor_flops[static_cast<size_t>(ncu::TensorType::bf16)] = 30;
  const ncu::Measures rates = ncu::rates_with_peaks(
      kernel, {.name = "G", .bf16_tensor = 60e12, .dram_bytes_per_s = 3e12, .source = ""});
  CHECK_FALSE(rates.get(Measure::fp32_peak_per_s));
  CHECK(rates.get(Measure::tensor_peak_per_s) == doctest::Approx(60e12));
  // 30 FLOP per byte are right of the ridge, at 20.
  CHECK(ncu::roofline_point(rates, ncu::Precision::tensor).roof_ratio == doctest::Approx(0.5));
  // That of memory alone is no roof.
  const ncu::Measures part =
      ncu::rates_with_peaks(kernel, {.name = "G", .dram_bytes_per_s = 3e12, .source = ""});
  CHECK_FALSE(ncu::roofline_point(part, ncu::Precision::tensor).roof_ratio);
}

}  // namespace kr::test::measured_peaks_test
