/* BYOC_X: see byoc_element.h. BYOC_POWER_OF_TWO: the length is one. */
#include "byoc_dft.h"

#include "byoc_element.h"

static void load(const byoc_dft_t* p, const BYOC_X* x, const BYOC_X* window, BYOC_T* work) {
  int32_t t;
  for (t = 0; t < p->length; ++t, work += 2) {
    const int mirrored = p->is_half && t > p->length / 2;
    const int32_t from = mirrored ? p->length - t : t;
    work[0] = 0;
    work[1] = 0;
    if (from >= p->given) continue;
    work[0] = BYOC_X_LOAD(x[(byoc_offset_t)from * p->x_next]);
    if (p->is_complex) work[1] = BYOC_X_LOAD(x[(byoc_offset_t)from * p->x_next + 1]);
    if (mirrored) work[1] = -work[1];
    if (window) {
      const BYOC_T w = BYOC_X_LOAD(window[t]);
      work[0] *= w;
      work[1] *= w;
    }
  }
}

#if defined(BYOC_POWER_OF_TWO)

static void swap(BYOC_T* a, BYOC_T* b) {
  const BYOC_T re = a[0], im = a[1];
  a[0] = b[0];
  a[1] = b[1];
  b[0] = re;
  b[1] = im;
}

/* Decimation in time, in place. */
static void transform(const byoc_dft_t* p, const BYOC_T* turns, BYOC_T* work) {
  const int32_t n = p->length;
  int32_t i, j = 0, half, k, bit;
  for (i = 1; i < n; ++i) { /* to the order of reversed bits */
    for (bit = n >> 1; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) swap(work + 2 * i, work + 2 * j);
  }
  for (half = 1; half < n; half *= 2) {
    const int32_t turn = n / (2 * half);
    for (k = 0; k < half; ++k) {
      const BYOC_T c = turns[2 * k * turn], s = p->inverse ? turns[2 * k * turn + 1] : -turns[2 * k * turn + 1];
      for (i = k; i < n; i += 2 * half) {
        BYOC_T *a = work + 2 * i, *b = work + 2 * (i + half);
        const BYOC_T re = b[0] * c - b[1] * s, im = b[0] * s + b[1] * c;
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
      }
    }
  }
}

static void bin(const byoc_dft_t* p, const BYOC_T* turns, const BYOC_T* work, int32_t k, BYOC_T* re, BYOC_T* im) {
  (void)p;
  (void)turns;
  *re = work[2 * k];
  *im = work[2 * k + 1];
}

#else

static void bin(const byoc_dft_t* p, const BYOC_T* turns, const BYOC_T* work, int32_t k, BYOC_T* re, BYOC_T* im) {
  const int32_t n = p->length;
  int32_t t, turn = 0; /* k * t mod n */
  *re = 0;
  *im = 0;
  for (t = 0; t < n; ++t, work += 2) {
    const BYOC_T c = turns[2 * turn], s = p->inverse ? turns[2 * turn + 1] : -turns[2 * turn + 1];
    *re += work[0] * c - work[1] * s;
    *im += work[0] * s + work[1] * c;
    turn = turn < n - k ? turn + k : turn - (n - k);
  }
}

#endif

BYOC_DFT(BYOC_SYMBOL, BYOC_X, BYOC_T) {
  int32_t o, i, k;
  for (o = 0; o < p->outer; ++o)
    for (i = 0; i < p->inner; ++i) {
      BYOC_X* to = y + (byoc_offset_t)o * p->y_outer + (byoc_offset_t)i * p->y_inner;
      load(p, x + (byoc_offset_t)o * p->x_outer + (byoc_offset_t)i * p->x_inner, window, work);
#if defined(BYOC_POWER_OF_TWO)
      transform(p, turns, work);
#endif
      for (k = 0; k < p->bins; ++k, to += p->y_next) {
        BYOC_T re, im;
        bin(p, turns, work, k, &re, &im);
        if (p->inverse) {
          re /= (BYOC_T)p->length;
          im /= (BYOC_T)p->length;
        }
        to[0] = BYOC_X_STORE(re);
        if (!p->is_half) to[1] = BYOC_X_STORE(im);
      }
    }
}
