#include "base/operation_kind.hpp"

#include <doctest/doctest.h>

using namespace kr;

TEST_CASE("the kind of operation that a name tells") {
  CHECK(operation_kind_of("[CUDA memcpy HtoD]") == OperationKind::memcpy);
  CHECK(operation_kind_of("[CUDA memcpy Host-to-Device]") == OperationKind::memcpy);
  CHECK(operation_kind_of("[CUDA Unified Memory memcpy DtoH]") == OperationKind::memcpy);
  CHECK(operation_kind_of("[CUDA memset]") == OperationKind::memset);
  CHECK(operation_kind_of("Memcpy HtoD (Pageable -> Device)") == OperationKind::memcpy);
  CHECK(operation_kind_of("Memset (Device)") == OperationKind::memset);
  CHECK(operation_kind_of("__amd_rocclr_copyBuffer") == OperationKind::memcpy);
  CHECK(operation_kind_of("__amd_rocclr_fillBufferAligned") == OperationKind::memset);
  CHECK(operation_kind_of("void memcpy_kernel<float>()") == OperationKind::kernel);
  CHECK(operation_kind_of("") == OperationKind::kernel);
  for (const OperationKind kind : operation_kinds) {
    CHECK(operation_kind_from(to_string(kind)) == kind);
  }
  CHECK_FALSE(operation_kind_from("memcopy"));
}
