/* Sum or difference of two int8 tensors with broadcasting, with MVE: tables read four entries at a time. */
#include "byoc_add_s8.h"
#include "byoc_mve.h"

#if defined(BYOC_REQUANT_ONNX)
/* MVE has no division: the sums are divided one by one, so this is the portable arithmetic. */
#error "the sum of ONNX has no form of its own for MVE"
#endif

/* Entries of a table for the elements at x + offsets; vldrb.s32 and vldrw by offsets take four at once. */
static inline byoc_quad_t look_up(const int32_t* middle, const int8_t* x, byoc_quad_t offsets) {
  byoc_quad_t y, at;
  __asm__(
      "vldrb.s32 %q[at], [%[x], %q[offsets]]\n\t"
      "vldrw.u32 %q[y], [%[middle], %q[at], uxtw #2]"
      : [y] "=&w"(y), [at] "=&w"(at)
      : [x] "r"(x), [offsets] "w"(offsets), [middle] "r"(middle)
      : "memory");
  return y;
}

/* Four sums of elements next to each other, scaled. */
#define BYOC_FOUR_SUMS(to)                       \
  "vldrb.s32 %q[a], [%[x0]], #4\n\t"             \
  "vldrw.u32 %q[b], [%[t0], %q[a], uxtw #2]\n\t" \
  "vldrb.s32 %q[a], [%[x1]], #4\n\t"             \
  "vldrw.u32 %q[c], [%[t1], %q[a], uxtw #2]\n\t" \
  "vadd.i32 %q[a], %q[b], %q[c]\n\t" BYOC_SCALE_QUAD(to, "a")

/* n > 0 eights of elements next to each other: 23 instructions each. */
static BYOC_NOINLINE void eights(const int32_t* t0, const int32_t* t1, const int8_t* x0, const int8_t* x1, int8_t* y,
                                 int32_t n, byoc_channel_mve_t channel, int32_t zero) {
  static const uint16_t places[8] = {0, 4, 1, 5, 2, 6, 3, 7};
  byoc_quad_t a, b, c, d, offsets;
  __asm__ volatile("vldrh.u16 %q0, [%1]" : "=w"(offsets) : "r"(places) : "memory");
  /* Inputs: t0, t1: the middles of tables of 256 words; x0, x1: n > 0 times eight elements; y; scale, shift, zero;
     offsets: of results.
     Outputs: x0, x1, y: behind the last.
     Clobbers: a to d, lr, flags; memory at y.
     Holds: a result is t0[x0] + t1[x1], scaled, plus zero and saturated to int8; the offsets put them in the order
     of elements. */
  __asm__ volatile(
      "dls lr, %[n]\n\t"
      "1:\n\t" BYOC_FOUR_SUMS("d") BYOC_FOUR_SUMS("b")
      "vqmovnb.s32 %q[d], %q[d]\n\t"
      "vqmovnt.s32 %q[d], %q[b]\n\t"
      "vqadd.s16 %q[d], %q[d], %[zero]\n\t"
      "vqmovnb.s16 %q[d], %q[d]\n\t"
      "vstrb.16 %q[d], [%[y], %q[offsets]]\n\t"
      "adds %[y], %[y], #8\n\t"
      "le lr, 1b\n\t"
      : [a] "=&w"(a), [b] "=&w"(b), [c] "=&w"(c), [d] "=&w"(d), [x0] "+&l"(x0), [x1] "+&l"(x1),
        [y] "+&r"(y)
      : [t0] "r"(t0), [t1] "r"(t1), [n] "r"(n), [scale] "r"(channel.scale), [shift] "r"(channel.shift),
        [zero] "r"(zero), [offsets] "w"(offsets)
      : "lr", "cc", "memory");
}

static void run(const byoc_add_s8_t* p, const int8_t* x0, const int8_t* x1, int8_t* y) {
  const int32_t *t0 = (const int32_t*)p->table0 + 128, *t1 = (const int32_t*)p->table1 + 128;
  const int32_t step0 = p->stride0[3], step1 = p->stride1[3], zero = p->zero, low = p->min, high = p->max;
  const byoc_quad_t lanes = byoc_quad(0, 1, 2, 3), offsets0 = lanes * step0, offsets1 = lanes * step1;
  byoc_channel_mve_t c;
  int32_t n = p->dims[3];
  c.scale = p->multiplier;
  c.shift = p->shift;
  if (c.shift < 0) {
    if (step0 == 1 && step1 == 1 && n > 7) {
      const int32_t whole = n & ~7;
      eights(t0, t1, x0, x1, y, whole >> 3, c, zero);
      n -= whole;
      x0 += whole;
      x1 += whole;
      y += whole;
    }
    for (; n > 3; n -= 4, x0 += 4 * step0, x1 += 4 * step1, y += 4)
      byoc_store_quad(byoc_requantise_quad(look_up(t0, x0, offsets0) + look_up(t1, x1, offsets1), c, zero), y, lanes);
  }
  for (; n > 0; --n, x0 += step0, x1 += step1)
    *y++ = (int8_t)(byoc_clamp(byoc_multiply_q31(t0[*x0] + t1[*x1], c.scale, c.shift), low - zero, high - zero) + zero);
}

void BYOC_SYMBOL(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out) {
  byoc_for_each_run(p, in0, in1, out, run);
  byoc_narrow_mve(p->min, p->max, out, p->dims[0] * p->dims[1] * p->dims[2] * p->dims[3]);
}
