#include "byoc_signal_fft.h"

typedef struct {
  BYOC_X re, im;
} number_t;

#if defined(BYOC_BITS)

static BYOC_X add(BYOC_X a, BYOC_X b) { return (BYOC_X)((uint32_t)a + (uint32_t)b); }
static BYOC_X sub(BYOC_X a, BYOC_X b) { return (BYOC_X)((uint32_t)a - (uint32_t)b); }
static BYOC_X rounded(BYOC_WIDE v) { return (BYOC_X)((v + ((BYOC_WIDE)1 << (BYOC_BITS - 1))) >> BYOC_BITS); }
static BYOC_X mul(BYOC_X a, BYOC_X b) { return rounded((BYOC_WIDE)a * b); }
static number_t mul_number(number_t a, number_t b) {
  number_t c;
  c.re = rounded((BYOC_WIDE)a.re * b.re - (BYOC_WIDE)a.im * b.im);
  c.im = rounded((BYOC_WIDE)a.re * b.im + (BYOC_WIDE)a.im * b.re);
  return c;
}
static number_t divided(number_t a, BYOC_X part) {
  a.re = mul(a.re, part);
  a.im = mul(a.im, part);
  return a;
}
#define BYOC_PART(by) ((BYOC_X)((BYOC_X)(((BYOC_WIDE)1 << BYOC_BITS) - 1) / (by)))
/* Sums of 16 bits are exact here, those of 32 wrap around first. */
#if BYOC_BITS == 15
static BYOC_X half_sum(BYOC_X a, BYOC_X b) { return (BYOC_X)(((int32_t)a + b) >> 1); }
#else
static BYOC_X half_sum(BYOC_X a, BYOC_X b) { return (BYOC_X)(add(a, b) >> 1); }
#endif

#else

static BYOC_X add(BYOC_X a, BYOC_X b) { return a + b; }
static BYOC_X sub(BYOC_X a, BYOC_X b) { return a - b; }
static BYOC_X mul(BYOC_X a, BYOC_X b) { return a * b; }
static number_t mul_number(number_t a, number_t b) {
  number_t c;
  c.re = a.re * b.re - a.im * b.im;
  c.im = a.re * b.im + a.im * b.re;
  return c;
}
static number_t divided(number_t a, BYOC_X part) {
  (void)part;
  return a;
}
#define BYOC_PART(by) ((void)(by), (BYOC_X)1)
static BYOC_X half_sum(BYOC_X a, BYOC_X b) { return (a + b) * (BYOC_X)0.5; }

#endif

static number_t get(const BYOC_X* f, int32_t i) {
  number_t c;
  c.re = f[2 * i];
  c.im = f[2 * i + 1];
  return c;
}

static void put(BYOC_X* f, int32_t i, BYOC_X re, BYOC_X im) {
  f[2 * i] = re;
  f[2 * i + 1] = im;
}

static number_t add_number(number_t a, number_t b) {
  a.re = add(a.re, b.re);
  a.im = add(a.im, b.im);
  return a;
}

static number_t sub_number(number_t a, number_t b) {
  a.re = sub(a.re, b.re);
  a.im = sub(a.im, b.im);
  return a;
}

static number_t conjugate(number_t a) {
  a.im = sub((BYOC_X)0, a.im);
  return a;
}

/* Number i of a stage, divided by the radix and turned. */
static number_t turned(const BYOC_X* f, int32_t i, BYOC_X part, const BYOC_X* turns, int32_t turn) {
  return mul_number(divided(get(f, i), part), get(turns, turn));
}

/* Numbers k, k + m ... of a stage become those of the same places; `step` turns lie between two of its own. */
static void join_2(BYOC_X* f, const BYOC_X* turns, int32_t m, int32_t step) {
  const BYOC_X part = BYOC_PART(2);
  int32_t k;
  for (k = 0; k < m; ++k) {
    const number_t a = divided(get(f, k), part), b = turned(f, k + m, part, turns, k * step);
    put(f, k, add(a.re, b.re), add(a.im, b.im));
    put(f, k + m, sub(a.re, b.re), sub(a.im, b.im));
  }
}

static void join_4(BYOC_X* f, const BYOC_X* turns, int32_t m, int32_t step, int32_t inverse) {
  const BYOC_X part = BYOC_PART(4);
  const int32_t down = inverse ? 3 * m : m, up = inverse ? m : 3 * m;
  int32_t k;
  for (k = 0; k < m; ++k) {
    const number_t a = divided(get(f, k), part), b = turned(f, k + m, part, turns, k * step);
    const number_t c = turned(f, k + 2 * m, part, turns, 2 * k * step);
    const number_t d = turned(f, k + 3 * m, part, turns, 3 * k * step);
    const number_t even = add_number(a, c), odd = sub_number(a, c);
    const number_t sum = add_number(b, d), apart = sub_number(b, d);
    put(f, k, add(even.re, sum.re), add(even.im, sum.im));
    put(f, k + 2 * m, sub(even.re, sum.re), sub(even.im, sum.im));
    put(f, k + down, add(odd.re, apart.im), sub(odd.im, apart.re));
    put(f, k + up, sub(odd.re, apart.im), add(odd.im, apart.re));
  }
}

static void join_3(BYOC_X* f, const BYOC_X* turns, int32_t m, int32_t step) {
  const BYOC_X part = BYOC_PART(3), third = get(turns, m * step).im;
  int32_t k;
  for (k = 0; k < m; ++k) {
    const number_t a = divided(get(f, k), part), b = turned(f, k + m, part, turns, k * step);
    const number_t c = turned(f, k + 2 * m, part, turns, 2 * k * step);
    const number_t sum = add_number(b, c), apart = sub_number(b, c);
    const BYOC_X re = sub(a.re, half_sum(sum.re, (BYOC_X)0)), im = sub(a.im, half_sum(sum.im, (BYOC_X)0));
    const BYOC_X side_re = mul(apart.re, third), side_im = mul(apart.im, third);
    put(f, k, add(a.re, sum.re), add(a.im, sum.im));
    put(f, k + m, sub(re, side_im), add(im, side_re));
    put(f, k + 2 * m, add(re, side_im), sub(im, side_re));
  }
}

static BYOC_X along(BYOC_X a, BYOC_X b, BYOC_X u, BYOC_X c, BYOC_X v) { return add(add(a, mul(b, u)), mul(c, v)); }

static void join_5(BYOC_X* f, const BYOC_X* turns, int32_t m, int32_t step) {
  const BYOC_X part = BYOC_PART(5);
  const number_t u = get(turns, m * step), v = get(turns, 2 * m * step);
  int32_t k;
  for (k = 0; k < m; ++k) {
    const number_t a = divided(get(f, k), part), b = turned(f, k + m, part, turns, k * step);
    const number_t c = turned(f, k + 2 * m, part, turns, 2 * k * step);
    const number_t d = turned(f, k + 3 * m, part, turns, 3 * k * step);
    const number_t e = turned(f, k + 4 * m, part, turns, 4 * k * step);
    const number_t outer = add_number(b, e), inner = add_number(c, d);
    const number_t wide = sub_number(b, e), narrow = sub_number(c, d);
    const BYOC_X near_re = along(a.re, outer.re, u.re, inner.re, v.re);
    const BYOC_X near_im = along(a.im, outer.im, u.re, inner.im, v.re);
    const BYOC_X far_re = along(a.re, outer.re, v.re, inner.re, u.re);
    const BYOC_X far_im = along(a.im, outer.im, v.re, inner.im, u.re);
    const BYOC_X side_re = add(mul(wide.im, u.im), mul(narrow.im, v.im));
    const BYOC_X side_im = sub(sub((BYOC_X)0, mul(wide.re, u.im)), mul(narrow.re, v.im));
    const BYOC_X other_re = sub(mul(narrow.im, u.im), mul(wide.im, v.im));
    const BYOC_X other_im = sub(mul(wide.re, v.im), mul(narrow.re, u.im));
    put(f, k, add(a.re, add(outer.re, inner.re)), add(a.im, add(outer.im, inner.im)));
    put(f, k + m, sub(near_re, side_re), sub(near_im, side_im));
    put(f, k + 4 * m, add(near_re, side_re), add(near_im, side_im));
    put(f, k + 2 * m, add(far_re, other_re), add(far_im, other_im));
    put(f, k + 3 * m, sub(far_re, other_re), sub(far_im, other_im));
  }
}

static void join_any(BYOC_X* f, const BYOC_X* turns, int32_t m, int32_t step, int32_t radix, int32_t n, BYOC_X* work) {
  const BYOC_X part = BYOC_PART(radix);
  int32_t k, q, i;
  for (k = 0; k < m; ++k) {
    for (q = 0; q < radix; ++q) {
      const number_t a = divided(get(f, k + q * m), part);
      put(work, q, a.re, a.im);
    }
    for (q = 0; q < radix; ++q) {
      const int32_t by = step * (k + q * m);
      int32_t turn = 0;
      number_t sum = get(work, 0);
      for (i = 1; i < radix; ++i) {
        turn = turn < n - by ? turn + by : turn - (n - by);
        sum = add_number(sum, mul_number(get(work, i), get(turns, turn)));
      }
      put(f, k + q * m, sum.re, sum.im);
    }
  }
}

/* x, of which there are `given` elements and then zeros, in the order in which stages join: the digits of a place, of
   which the last counts fastest, are those of the number that belongs there the other way round. */
static void reorder(const byoc_signal_fft_t* p, const BYOC_X* x, int32_t given, int32_t stages, BYOC_X* f) {
  int32_t digits[20] = {0};
  int32_t from = 0, i;
  for (i = 0; i < p->n; ++i) {
    int32_t level = stages - 1, stride = p->n / p->radices[level];
    put(f, i, 2 * from < given ? x[2 * from] : (BYOC_X)0, 2 * from + 1 < given ? x[2 * from + 1] : (BYOC_X)0);
    for (;;) {
      from += stride;
      if (++digits[level] < p->radices[level]) break;
      from -= stride * p->radices[level];
      digits[level] = 0;
      if (level-- == 0) break;
      stride /= p->radices[level];
    }
  }
}

static void transform(const byoc_signal_fft_t* p, const BYOC_X* turns, const BYOC_X* x, int32_t given, BYOC_X* f,
                      BYOC_X* work) {
  int32_t stages = 0, level, block, m = 1;
  while (p->radices[stages] != 0) ++stages;
  reorder(p, x, given, stages, f);
  for (level = stages - 1; level >= 0; --level) {
    const int32_t radix = p->radices[level], step = p->n / (m * radix);
    for (block = 0; block < step; ++block) {
      BYOC_X* at = f + (byoc_offset_t)2 * block * m * radix;
      if (radix == 4)
        join_4(at, turns, m, step, p->inverse);
      else if (radix == 2)
        join_2(at, turns, m, step);
      else if (radix == 3)
        join_3(at, turns, m, step);
      else if (radix == 5)
        join_5(at, turns, m, step);
      else
        join_any(at, turns, m, step, radix, p->n, work);
    }
    m *= radix;
  }
}

#if defined(BYOC_INVERSE)

/* From bins 0 to n of a row to pairs of samples. work: n numbers, and one more for each of the largest radix. */
BYOC_SIGNAL_FFT(BYOC_SYMBOL, BYOC_X) {
  const BYOC_X part = BYOC_PART(2);
  const int32_t n = p->n;
  int32_t row, k;
  for (row = 0; row < p->rows; ++row) {
    number_t ends;
    ends.re = add(x[0], x[2 * n]);
    ends.im = sub(x[0], x[2 * n]);
    ends = divided(ends, part);
    put(work, 0, ends.re, ends.im);
    for (k = 1; k <= n / 2; ++k) {
      const number_t here = divided(get(x, k), part), there = divided(conjugate(get(x, n - k)), part);
      const number_t even = add_number(here, there);
      const number_t odd = mul_number(sub_number(here, there), get(halves, k - 1));
      const number_t other = conjugate(sub_number(even, odd));
      put(work, k, add(even.re, odd.re), add(even.im, odd.im));
      put(work, n - k, other.re, other.im);
    }
    transform(p, turns, work, 2 * n, y, work + 2 * n);
#if !defined(BYOC_BITS)
    for (k = 0; k < 2 * n; ++k) y[k] /= (BYOC_X)(2 * n);
#endif
    x += 2 * n + 2;
    y += 2 * n;
  }
}

#else

#if !defined(BYOC_BITS)
static BYOC_X half_difference(BYOC_X a, BYOC_X b) { return (a - b) * (BYOC_X)0.5; }
#elif BYOC_BITS == 15
static BYOC_X half_difference(BYOC_X a, BYOC_X b) { return (BYOC_X)(((int32_t)a - b) >> 1); }
#else
static BYOC_X half_difference(BYOC_X a, BYOC_X b) { return (BYOC_X)(sub(a, b) >> 1); }
#endif

/* From `given` samples of a row, and zeros, to bins 0 to n. work: a number for each of the largest radix. */
BYOC_SIGNAL_FFT(BYOC_SYMBOL, BYOC_X) {
  const BYOC_X part = BYOC_PART(2);
  const int32_t n = p->n;
  int32_t row, k;
  for (row = 0; row < p->rows; ++row) {
    number_t ends;
    transform(p, turns, x, p->given, y, work);
    ends = divided(get(y, 0), part);
    put(y, 0, add(ends.re, ends.im), (BYOC_X)0);
    put(y, n, sub(ends.re, ends.im), (BYOC_X)0);
    for (k = 1; k <= n / 2; ++k) {
      const number_t here = divided(get(y, k), part), there = divided(conjugate(get(y, n - k)), part);
      const number_t even = add_number(here, there);
      const number_t odd = mul_number(sub_number(here, there), get(halves, k - 1));
      put(y, k, half_sum(even.re, odd.re), half_sum(even.im, odd.im));
      put(y, n - k, half_difference(even.re, odd.re), half_difference(odd.im, even.im));
    }
    x += p->given;
    y += 2 * n + 2;
  }
}

#endif
