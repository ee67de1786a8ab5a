#include "kernel/exact_simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/exact_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernel/exact-inl.h"

#if HWY_ONCE
namespace onekernel::kernel {

HWY_EXPORT(average_rows_target);
HWY_EXPORT(decide_bars_target);

void average_rows(const double* x, std::int64_t end, std::span<const AverageRow> rows) {
  if (!rows.empty()) HWY_DYNAMIC_DISPATCH(average_rows_target)(x, end, rows);
}

void decide_bars(const InnerAverages& averages, std::int64_t smooth, std::int64_t full3, std::int64_t first, std::int64_t end,
                 double* scratch, std::uint64_t* want_long, std::uint64_t* decided) {
  HWY_DYNAMIC_DISPATCH(decide_bars_target)(averages, smooth, full3, first, end, scratch, want_long, decided);
}

}  // namespace onekernel::kernel
#endif  // HWY_ONCE
