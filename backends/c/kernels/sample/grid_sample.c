/* BYOC_X, BYOC_G: see byoc_element.h, of image and grid; BYOC_WEIGHT. */
#include "byoc_sample.h"

#include "byoc_element.h"

typedef BYOC_WEIGHT real_t;

/* Elements of one dim with their weights; element -1 is zero. */
typedef struct {
  int32_t count;
  int32_t at[4];
  real_t weight[4];
} taps_t;

static inline real_t clamp(real_t v, int32_t size) {
  const real_t last = (real_t)(size - 1);
  return v < 0 ? 0 : v > last ? last : v;
}

/* Folded back and forth between low and high. */
static inline real_t reflect(real_t v, real_t low, real_t high) {
  const real_t range = high - low;
  const int below = v < low;
  real_t distance, turns, rest;
  int even;
  if (!(range > 0)) return low;
  if (!below && !(v > high)) return v;
  distance = below ? low - v : v - high;
  turns = BYOC_F(floor)(distance / range);
  rest = distance - turns * range;
  even = BYOC_F(fmod)(turns, BYOC_C(2.0)) == 0;
  return below == even ? low + rest : high - rest;
}

static inline void add_tap(const byoc_grid_sample_t* p, int32_t size, real_t low, real_t high, real_t i, real_t weight,
                           taps_t* taps) {
  if (p->padding == 1) i = clamp(i, size);
  if (p->padding == 2) i = clamp(BYOC_F(trunc)(reflect(i, low, high)), size);
  taps->at[taps->count] = i >= 0 && i < (real_t)size ? (int32_t)i : -1;
  taps->weight[taps->count++] = weight;
}

static void find(const byoc_grid_sample_t* p, int32_t size, real_t g, taps_t* taps) {
  const real_t n = (real_t)size, low = p->align_corners ? BYOC_C(0.0) : BYOC_C(-0.5);
  const real_t high = n - (p->align_corners ? BYOC_C(1.0) : BYOC_C(0.5));
  real_t at = p->align_corners ? (g + BYOC_C(1.0)) / BYOC_C(2.0) * (n - BYOC_C(1.0))
                               : ((g + BYOC_C(1.0)) * n - BYOC_C(1.0)) / BYOC_C(2.0);
  real_t left, r;
  taps->count = 0;
  if (p->mode == 0) at = BYOC_F(nearbyint)(at);
  if (!(at >= low && at <= high) && (p->mode != 2 || p->padding == 2))
    at = p->padding == 1 ? clamp(at, size) : p->padding == 2 ? reflect(at, low, high) : at;
  if (!(BYOC_F(fabs)(at) < BYOC_C(1e9))) return;
  left = BYOC_F(floor)(at);
  r = at - left;
  if (p->mode == 0) {
    add_tap(p, size, low, high, at, BYOC_C(1.0), taps);
  } else if (p->mode == 1) {
    add_tap(p, size, low, high, left, BYOC_C(1.0) - r, taps);
    add_tap(p, size, low, high, left + BYOC_C(1.0), r, taps);
  } else {
    const real_t a = BYOC_C(-0.75), far = r + BYOC_C(1.0), back = BYOC_C(1.0) - r, end = back + BYOC_C(1.0);
    add_tap(p, size, low, high, left - BYOC_C(1.0),
            ((a * far - BYOC_C(5.0) * a) * far + BYOC_C(8.0) * a) * far - BYOC_C(4.0) * a, taps);
    add_tap(p, size, low, high, left, ((a + BYOC_C(2.0)) * r - (a + BYOC_C(3.0))) * r * r + BYOC_C(1.0), taps);
    add_tap(p, size, low, high, left + BYOC_C(1.0),
            ((a + BYOC_C(2.0)) * back - (a + BYOC_C(3.0))) * back * back + BYOC_C(1.0), taps);
    add_tap(p, size, low, high, left + BYOC_C(2.0),
            ((a * end - BYOC_C(5.0) * a) * end + BYOC_C(8.0) * a) * end - BYOC_C(4.0) * a, taps);
  }
}

static inline real_t sum(const byoc_grid_sample_t* p, const taps_t* taps, const BYOC_X* x) {
  real_t whole = 0;
  int32_t k, j, i;
  for (k = 0; k < taps[0].count; ++k) {
    real_t plane = 0;
    for (j = 0; j < taps[1].count && taps[0].at[k] >= 0; ++j) {
      real_t row = 0;
      const BYOC_X* line = x + ((byoc_offset_t)taps[0].at[k] * p->in[1] + taps[1].at[j]) * p->in[2];
      for (i = 0; i < taps[2].count && taps[1].at[j] >= 0; ++i)
        row += taps[2].weight[i] * (taps[2].at[i] < 0 ? 0 : (real_t)BYOC_X_LOAD(line[taps[2].at[i]]));
      plane += taps[1].weight[j] * row;
    }
    whole += taps[0].weight[k] * plane;
  }
  return whole;
}

BYOC_GRID_SAMPLE(BYOC_SYMBOL, BYOC_X, BYOC_G) {
  const byoc_offset_t image = (byoc_offset_t)p->in[0] * p->in[1] * p->in[2];
  int32_t n, c, i;
  for (n = 0; n < p->batch; ++n, x += p->channels * image, y += (byoc_offset_t)p->channels * p->points) {
    for (i = 0; i < p->points; ++i, grid += p->rank) {
      taps_t taps[3];
      taps[0].count = 1;
      taps[0].at[0] = 0;
      taps[0].weight[0] = BYOC_C(1.0);
      /* The grid has x first, the last dim of the image. */
      find(p, p->in[2], BYOC_G_LOAD(grid[0]), &taps[2]);
      find(p, p->in[1], BYOC_G_LOAD(grid[1]), &taps[1]);
      if (p->rank == 3) find(p, p->in[0], BYOC_G_LOAD(grid[2]), &taps[0]);
      for (c = 0; c < p->channels; ++c) {
        const real_t v = sum(p, taps, x + c * image);
        y[(byoc_offset_t)c * p->points + i] = BYOC_X_STORE(v);
      }
    }
  }
}
