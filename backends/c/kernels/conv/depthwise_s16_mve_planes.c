/*
 * int16 depthwise convolution with int8 weights and MVE, 3x3 without steps between windows or taps: a channel is copied
 * to a plane with its border of zeros, then four results of each of two rows are computed at a time, by elements that
 * are loaded once for both.
 *
 * One output channel for each input channel, next to each other in both images.
 * Weights: [channel][row 0, row 2, row 1][column]. Needs: 7 * in_col and 3 * out_col + out_row below 2^16.
 * Workspace: out_h + 2 rows of out_w + 2 elements.
 */
#include "byoc_conv_s16.h"
#include "byoc_mve.h"

/* What a channel's results are computed with. */
typedef struct channel_t {
  int32_t first[3], last[3], middle[3]; /* rows of weights */
  int32_t width;                        /* of the results */
  byoc_quad_t bias, scale;
} channel_t;

/* What those of all channels are. */
typedef struct layer_t {
  byoc_quad_t places;   /* of results: halves of lanes, of the first and the second row in turns */
  byoc_quad_t singles;  /* of those of one row */
  byoc_quad_t min, max; /* halves of lanes */
  int32_t down, across; /* bytes from a row of the plane, and from four results, to the next */
} layer_t;

static inline byoc_quad_t halves(int32_t x) {
  byoc_quad_t q;
  __asm__("vdup.16 %q0, %1" : "=w"(q) : "r"(x));
  return q;
}

static inline byoc_quad_t lanes(int32_t x) {
  byoc_quad_t q;
  __asm__("vdup.32 %q0, %1" : "=w"(q) : "r"(x));
  return q;
}

/* Four elements from `at` on meet a weight, or one of each row of results. */
#define BYOC_ONE(at, sum, w) \
  "vldrh.s32 q2, [%[x]" at   \
  "\n\t"                     \
  "vmla.s32 " sum ", q2, " w "\n\t"
#define BYOC_BOTH(at, w0, w1) BYOC_ONE(at, "q0", w0) "vmla.s32 q1, q2, " w1 "\n\t"

/* A row of the plane; behind the last one x is at the next four elements. */
#define BYOC_ROW(sum, a, b, c) BYOC_ONE("]", sum, a) BYOC_ONE(", #2]", sum, b) BYOC_ONE(", #4]", sum, c)
#define BYOC_ROW_OF_BOTH(a, b, c, d, e, f) BYOC_BOTH("]", a, d) BYOC_BOTH(", #2]", b, e) BYOC_BOTH(", #4]", c, f)
#define BYOC_LAST_ROW(sum, a, b, c) BYOC_ONE(", #2]", sum, b) BYOC_ONE(", #4]", sum, c) BYOC_ONE("], #8", sum, a)
#define BYOC_DOWN "add %[x], %[x], %[down]\n\t"

/* Of the weights of the first and the last row one is in registers at a time. */
#define BYOC_TAKE_FIRST "ldmdb %[w], {r8, r10, r12}\n\t"
#define BYOC_TAKE_LAST "ldm %[w], {r8, r10, r12}\n\t"

#define BYOC_FOUR_ROWS                                                                          \
  BYOC_TAKE_FIRST BYOC_ROW("q0", "r8", "r10", "r12")                                            \
      BYOC_DOWN BYOC_ROW_OF_BOTH("%[a]", "%[b]", "%[c]", "r8", "r10", "r12")                    \
          BYOC_DOWN BYOC_TAKE_LAST BYOC_ROW_OF_BOTH("r8", "r10", "r12", "%[a]", "%[b]", "%[c]") \
              BYOC_DOWN BYOC_LAST_ROW("q1", "r8", "r10", "r12")
#define BYOC_THREE_ROWS                                                                               \
  BYOC_TAKE_FIRST BYOC_ROW("q0", "r8", "r10", "r12") BYOC_DOWN BYOC_ROW("q0", "%[a]", "%[b]", "%[c]") \
      BYOC_DOWN BYOC_TAKE_LAST BYOC_LAST_ROW("q0", "r8", "r10", "r12")

#define BYOC_OPERANDS                                                                                         \
  [w] "r"(c->last), [a] "r"(c->middle[0]), [b] "r"(c->middle[1]), [c] "r"(c->middle[2]), [down] "r"(l->down), \
      [across] "r"(l->across), [bias] "w"(c->bias), [scale] "w"(c->scale), [min] "w"(l->min), [max] "w"(l->max)
#define BYOC_CLOBBERED "r8", "r10", "r12", "lr", "q0", "q1", "q2", "cc", "memory"

/* All results of two rows; y is where those of the first go. 48 instructions for eight. */
static inline void two_rows(const layer_t* l, const channel_t* c, const int16_t* x, int16_t* y) {
  /* Inputs: w: the last row of weights, the first one before it, the width of the results 24 bytes on; a to c: the
     middle row; x: the plane; y; bias, scale, min, max, places; down, across: bytes.
     Outputs: x: behind what was read; y: behind the results.
     Clobbers: r8, r10, r12: the first or the last row of weights; q0, q1: sums of two rows; q2: elements; lr,
     flags; memory at y.
     Holds: four rows of the plane give four results in each of two rows; x goes down three times and back. A result
     is the sum * scale / 2^31, rounded, saturated and clamped. */
  __asm__ volatile(
      "ldr lr, [%[w], #24]\n\t"
      "dlstp.32 lr, lr\n\t"
      "1:\n\t"
      "vmov q0, %q[bias]\n\t"
      "vmov q1, %q[bias]\n\t" BYOC_FOUR_ROWS
      "sub %[x], %[x], %[down], lsl #1\n\t"
      "vqrdmulh.s32 q0, q0, %q[scale]\n\t"
      "sub %[x], %[x], %[down]\n\t"
      "vqrdmulh.s32 q1, q1, %q[scale]\n\t"
      "vqmovnb.s32 q0, q0\n\t"
      "vqmovnt.s32 q0, q1\n\t"
      "vmax.s16 q0, q0, %q[min]\n\t"
      "vmin.s16 q0, q0, %q[max]\n\t"
      "vstrh.16 q0, [%[y], %q[places], uxtw #1]\n\t"
      "add %[y], %[y], %[across]\n\t"
      "letp lr, 1b\n\t"
      : [x] "+&l"(x), [y] "+&r"(y)
      : BYOC_OPERANDS, [places] "w"(l->places)
      : BYOC_CLOBBERED);
}

/* The same of one row: 31 instructions for four. */
static inline void one_row(const layer_t* l, const channel_t* c, const int16_t* x, int16_t* y) {
  /* Inputs: as of two_rows, singles instead of places.
     Outputs: x: behind what was read; y: behind the results.
     Clobbers: r8, r10, r12: the first or the last row of weights; q0: sums; q1, q2: elements; lr, flags; memory at
     y.
     Holds: three rows of the plane give four results of a row; x goes down twice and back. A result is computed as
     in two_rows. */
  __asm__ volatile(
      "ldr lr, [%[w], #24]\n\t"
      "dlstp.32 lr, lr\n\t"
      "1:\n\t"
      "vmov q0, %q[bias]\n\t" BYOC_THREE_ROWS
      "sub %[x], %[x], %[down], lsl #1\n\t"
      "vqrdmulh.s32 q0, q0, %q[scale]\n\t"
      "vqmovnb.s32 q0, q0\n\t"
      "vmax.s16 q0, q0, %q[min]\n\t"
      "vmin.s16 q0, q0, %q[max]\n\t"
      "vstrh.32 q0, [%[y], %q[singles], uxtw #1]\n\t"
      "add %[y], %[y], %[across]\n\t"
      "letp lr, 1b\n\t"
      : [x] "+&l"(x), [y] "+&r"(y)
      : BYOC_OPERANDS, [singles] "w"(l->singles)
      : BYOC_CLOBBERED);
}

static BYOC_NOINLINE void rows(const layer_t* l, const channel_t* c, const int16_t* x, int16_t* y, int32_t count,
                               int32_t out_row) {
  const int32_t two = l->down; /* rows of the plane, in elements */
  for (; count > 1; count -= 2, x += two, y += 2 * out_row) two_rows(l, c, x, y);
  if (count > 0) one_row(l, c, x, y);
}

/* What is inside the image of a channel's plane. */
typedef struct copy_t {
  byoc_offset_t from; /* elements behind where the channel begins */
  int16_t* to;
  int32_t rows, columns;
  int32_t in_row, in_step, pitch; /* bytes to the next row, the next eight elements, the next row of the plane */
  byoc_quad_t offsets;            /* of eight elements of a row */
} copy_t;

static copy_t plan_copy(const byoc_conv_s8_t* p, int16_t* plane) {
  const int32_t top = p->pad_top < 0 ? -p->pad_top : 0, left = p->pad_left < 0 ? -p->pad_left : 0;
  const int32_t width = p->out_w + 2, bottom = p->out_h + 2 - p->pad_top, right = width - p->pad_left;
  int32_t none = 0;
  copy_t c;
  c.from = (byoc_offset_t)top * p->in_row + (byoc_offset_t)left * p->in_col;
  c.to = plane + (top + p->pad_top) * width + left + p->pad_left;
  c.rows = (p->in_h < bottom ? p->in_h : bottom) - top;
  c.columns = (p->in_w < right ? p->in_w : right) - left;
  c.in_row = 2 * p->in_row;
  c.in_step = 16 * p->in_col;
  c.pitch = 2 * width;
  __asm__(
      "vidup.u16 %q0, %1, #1\n\t"
      "vmul.i16 %q0, %q0, %2"
      : "=&w"(c.offsets), "+&Te"(none)
      : "r"(p->in_col));
  return c;
}

static BYOC_NOINLINE void copy_channel(const copy_t* c, const int16_t* from) {
  int32_t left = c->rows;
  const int16_t* x;
  int16_t *to = c->to, *y;
  if (left <= 0 || c->columns <= 0) return;
  from += c->from;
  /* Inputs: from, to: rows of an image and of a plane, row and pitch apart; left > 0 rows; columns > 0; offsets: of
     eight elements; step: to the next eight.
     Outputs: from, to: behind the last row; left: 0.
     Clobbers: x, y, q0, lr, flags; memory at to.
     Holds: elements that lie `offsets` apart come to lie next to each other; the last vector is predicated by LETP. */
  __asm__ volatile(
      "1:\n\t"
      "mov %[x], %[from]\n\t"
      "mov %[y], %[to]\n\t"
      "dlstp.16 lr, %[columns]\n\t"
      "2:\n\t"
      "vldrh.u16 q0, [%[x], %q[offsets], uxtw #1]\n\t"
      "add %[x], %[x], %[step]\n\t"
      "vstrh.16 q0, [%[y]], #16\n\t"
      "letp lr, 2b\n\t"
      "add %[from], %[from], %[row]\n\t"
      "add %[to], %[to], %[pitch]\n\t"
      "subs %[left], %[left], #1\n\t"
      "bne 1b\n\t"
      : [from] "+&r"(from), [to] "+&r"(to), [left] "+&r"(left), [x] "=&r"(x), [y] "=&r"(y)
      : [columns] "r"(c->columns), [step] "r"(c->in_step), [row] "r"(c->in_row), [pitch] "r"(c->pitch),
        [offsets] "w"(c->offsets)
      : "q0", "lr", "cc", "memory");
}

/* Nine weights in the order of channel_t. */
static inline void take_weights(const int8_t* w, int32_t* to) {
  __asm__ volatile(
      "vldrb.s32 q0, [%[w]]\n\t"
      "vldrb.s32 q1, [%[w], #4]\n\t"
      "vldrb.s32 q2, [%[w], #5]\n\t"
      "vstrw.32 q0, [%[to]]\n\t"
      "vstrw.32 q1, [%[to], #16]\n\t"
      "vstrw.32 q2, [%[to], #20]\n\t"
      :
      : [w] "l"(w), [to] "r"(to)
      : "q0", "q1", "q2", "memory");
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int16_t* in, int16_t* out, void* workspace) {
  const byoc_requant_t r = p->requant;
  const int32_t width = p->out_w + 2;
  const copy_t copy = plan_copy(p, (int16_t*)workspace);
  layer_t l;
  channel_t c;
  int32_t b, i;
  l.singles = byoc_quad(0, p->out_col, 2 * p->out_col, 3 * p->out_col);
  l.places = byoc_quad(0, p->out_col, 2 * p->out_col, 3 * p->out_col);
  __asm__(
      "vadd.i32 q0, %q0, %1\n\t"
      "vshl.i32 q0, q0, #16\n\t"
      "vorr %q0, %q0, q0"
      : "+w"(l.places)
      : "r"(p->out_row)
      : "q0");
  l.min = halves(r.min);
  l.max = halves(r.max);
  l.down = 2 * width;
  l.across = 8 * p->out_col;
  c.width = p->out_w;
  byoc_fill_mve((int8_t*)workspace, 0, 2 * width * (p->out_h + 2));
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (i = 0; i < p->in_c; ++i) {
      copy_channel(&copy, in + i);
      take_weights(p->weights + 9 * i, c.first);
      c.bias = lanes(r.bias[i]);
      c.scale = lanes(((const int32_t*)r.scale)[i]);
      rows(&l, &c, (const int16_t*)workspace, out + i, p->out_h, p->out_row);
    }
}
