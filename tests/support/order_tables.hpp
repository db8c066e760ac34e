// The chains of stdlib's tables of parts, with a letter for each kind of operation that they
// distinguish: g gemm, m moe_gemm, n norm, r rope, k kv_cache, t attention, a activation, s
// softmax, o moe_routing, b backward, l linear attention, p sampling, e embedding, q ArgMax, z
// training, c convolution; x is passed over.
#pragma once

#include <string_view>

namespace kr::test {

inline constexpr std::string_view dense_chains =
    "b > [g+], [g+] > b, n > [g] > s > z, [g] > s > g, g > s > [g], g > s > g > [g], t > [g], "
    "n > [g+] > l, l > n? > [g], ng > [g] > as? > o, g > n+ > [g+] > a > g, t > g > [g] > a > g, "
    "g > n* > g > a > [g] > g > ng, g > n* > g > a > g? > [g], "
    "n > gn* > [g] > gn* > r* > k* > t, n > [g+] > g > s > g, o > [m], m > a? > [m], "
    "n > [g] > peq$";
inline constexpr std::string_view moe_chains =
    "n > [g] > a > g > g > o, n > g > a > [g] > g > o, o > m* > [g] > a > g, o > m* > g > a > [g], "
    "o > ga* > [m] > a? > m, m > a? > [m]";
inline constexpr std::string_view mla_chains =
    "t > [g] > g > n, t > g > [g] > n, rk > [g] > t, n > g > [g] > rk* > t+ > g > g > n, "
    "n > [g+] > n > g > n > rk+ > g? > t, n > [g+] > n > n > g+ > rk* > t, "
    "n > [g] > n? > rk+ > g? > t, n > n > [g] > g? > rk* > t, n > n > g > [g] > rk* > t+ > g > n";

}  // namespace kr::test
