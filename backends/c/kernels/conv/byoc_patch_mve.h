/* Patches of an int8 image with MVE, four of them interleaved by 16 elements. */
#ifndef BYOC_PATCH_MVE_H
#define BYOC_PATCH_MVE_H

#include "byoc_mve.h"
#include "byoc_patch_s8.h"

/* `rows` > 0 times `blocks` > 0 times 16 elements, rows `down` apart, to 64 bytes apart, and where the next go. */
static inline int8_t* interleave(const int8_t* from, int32_t rows, int32_t down, int32_t blocks, int8_t* to) {
  const int8_t* x;
  /* Inputs: from: rows of 16 * n bytes, down apart; rows, n > 0; to.
     Outputs: to: where the next go; from: behind the last row; rows: 0.
     Clobbers: x, q0, lr, flags; memory at to.
     Holds: vectors go 64 bytes apart, row after row. */
  __asm__ volatile(
      "1:\n\t"
      "mov %[x], %[from]\n\t"
      "dls lr, %[n]\n\t"
      "2:\n\t"
      "vldrb.u8 q0, [%[x]], #16\n\t"
      "vstrb.8 q0, [%[to]], #64\n\t"
      "le lr, 2b\n\t"
      "add %[from], %[from], %[down]\n\t"
      "subs %[rows], %[rows], #1\n\t"
      "bne 1b\n\t"
      : [to] "+&r"(to), [from] "+&r"(from), [rows] "+&r"(rows), [x] "=&r"(x)
      : [n] "r"(blocks), [down] "r"(down)
      : "q0", "lr", "cc", "memory");
  return to;
}

static inline int8_t* interleave_zero(int32_t zero, int32_t blocks, int8_t* to) {
  __asm__ volatile(
      "vdup.8 q0, %[zero]\n\t"
      "dls lr, %[n]\n\t"
      "1:\n\t"
      "vstrb.8 q0, [%[to]], #64\n\t"
      "le lr, 1b\n\t"
      : [to] "+&r"(to)
      : [n] "r"(blocks), [zero] "r"(zero)
      : "q0", "lr", "cc", "memory");
  return to;
}

/* The same of four pixels, `right` apart, all of them at once. Compilers have no register left for anything else. */
static BYOC_NOINLINE void interleave_four(const int8_t* from, int32_t right, int32_t rows, int32_t down, int32_t blocks,
                                          int8_t* to) {
  const int8_t *x1, *x2, *x3;
  down -= 16 * blocks;
  /* Inputs: from: the first of four pixels, right apart; rows, n > 0; down: from the end of a row to the next one;
     to.
     Outputs: to: behind what was written; from: behind the last row; rows: 0.
     Clobbers: x1 to x3: the other pixels; q0, q1, lr, flags; memory at to.
     Holds: one vector of each pixel in turns, 16 bytes apart. Loads and stores alternate between two registers. */
  __asm__ volatile(
      "1:\n\t"
      "add %[x1], %[from], %[right]\n\t"
      "add %[x2], %[x1], %[right]\n\t"
      "add %[x3], %[x2], %[right]\n\t"
      "dls lr, %[n]\n\t"
      "2:\n\t"
      "vldrb.u8 q0, [%[from]], #16\n\t"
      "vldrb.u8 q1, [%[x1]], #16\n\t"
      "vstrb.8 q0, [%[to]], #16\n\t"
      "vldrb.u8 q0, [%[x2]], #16\n\t"
      "vstrb.8 q1, [%[to]], #16\n\t"
      "vldrb.u8 q1, [%[x3]], #16\n\t"
      "vstrb.8 q0, [%[to]], #16\n\t"
      "vstrb.8 q1, [%[to]], #16\n\t"
      "le lr, 2b\n\t"
      "add %[from], %[from], %[down]\n\t"
      "subs %[rows], %[rows], #1\n\t"
      "bne 1b\n\t"
      : [to] "+&r"(to), [from] "+&r"(from), [rows] "+&r"(rows), [x1] "=&r"(x1), [x2] "=&r"(x2), [x3] "=&r"(x3)
      : [n] "r"(blocks), [down] "r"(down), [right] "r"(right)
      : "q0", "q1", "lr", "cc", "memory");
}

/* `rows` > 0 times n > 0 bytes, from `from_row` apart to `to_row` apart. */
static BYOC_NOINLINE void copy_rows(int8_t* to, const int8_t* from, int32_t n, int32_t rows, int32_t to_row,
                                    int32_t from_row) {
  const int8_t* x;
  int8_t* y;
  /* Inputs: from, to: rows of n > 0 bytes, from_row and to_row apart; rows > 0.
     Outputs: from, to: behind the last row; rows: 0.
     Clobbers: x, y, q0, lr, flags; memory at to.
     Holds: n bytes of each row are copied; the last vector is predicated by LETP. */
  __asm__ volatile(
      "1:\n\t"
      "mov %[x], %[from]\n\t"
      "mov %[y], %[to]\n\t"
      "dlstp.8 lr, %[n]\n\t"
      "2:\n\t"
      "vldrb.u8 q0, [%[x]], #16\n\t"
      "vstrb.8 q0, [%[y]], #16\n\t"
      "letp lr, 2b\n\t"
      "add %[from], %[from], %[from_row]\n\t"
      "add %[to], %[to], %[to_row]\n\t"
      "subs %[rows], %[rows], #1\n\t"
      "bne 1b\n\t"
      : [to] "+&r"(to), [from] "+&r"(from), [rows] "+&r"(rows), [x] "=&r"(x), [y] "=&r"(y)
      : [n] "r"(n), [to_row] "r"(to_row), [from_row] "r"(from_row)
      : "q0", "lr", "cc", "memory");
}

/* Like byoc_gather_s8, of channels that are next to each other. */
static void gather(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* patch) {
  const int32_t row = p->kernel_w * p->in_c, down = p->dilation_h;
  int32_t x = ox * p->stride_w - p->pad_left, y = oy * p->stride_h - p->pad_top, rows = p->kernel_h, kx;
  if (x < 0 || y < 0 || x + (p->kernel_w - 1) * p->dilation_w >= p->in_w || y + (rows - 1) * down >= p->in_h)
    byoc_fill_mve(patch, p->in_zero, row * rows);
  for (; rows > 0 && y < 0; --rows, y += down) patch += row;
  for (; rows > 0 && y + (rows - 1) * down >= p->in_h; --rows) {
  }
  if (rows == 0) return;
  in += y * p->in_row;
  if (p->dilation_w == 1 && p->in_col == p->in_c) {
    const int32_t from = x < 0 ? 0 : x, to = x + p->kernel_w < p->in_w ? x + p->kernel_w : p->in_w;
    if (from < to)
      copy_rows(patch + (from - x) * p->in_c, in + from * p->in_col, (to - from) * p->in_c, rows, row,
                down * p->in_row);
    return;
  }
  for (kx = p->kernel_w; kx > 0; --kx, x += p->dilation_w, patch += p->in_c)
    if (x >= 0 && x < p->in_w) copy_rows(patch, in + x * p->in_col, p->in_c, rows, row, down * p->in_row);
}

static void take_patch(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* patch) {
  if (p->in_chan == 1) {
    gather(p, in, oy, ox, patch);
  } else {
    byoc_gather_s8(p, in, oy, ox, patch);
  }
}

/* Where the elements of a patch of at most 64 lie, by vectors: 255 bytes from the first at most. */
typedef struct reach_t {
  uint8_t offsets[16];
  int8_t rows[16], columns[16]; /* of the image, from the first; 127 behind the patch's last */
} reach_t;

/* Returns the vectors, 0 if the elements are out of reach. */
static int32_t plan_reach(const byoc_conv_s8_t* p, reach_t* reach) {
  const int32_t taps = p->kernel_h * p->kernel_w, n = taps * p->in_c;
  const int32_t rows = (p->kernel_h - 1) * p->dilation_h, columns = (p->kernel_w - 1) * p->dilation_w;
  int32_t i;
  if (n > 64 || rows > 126 || columns > 126 ||
      rows * p->in_row + columns * p->in_col + (p->in_c - 1) * p->in_chan > 255)
    return 0;
  BYOC_ROLLED
  for (i = 0; i < ((n + 15) & ~15); ++i) {
    const int32_t tap = i / p->in_c, at = i & 15, there = i < n;
    const int32_t row = tap / p->kernel_w * p->dilation_h, column = tap % p->kernel_w * p->dilation_w;
    reach[i >> 4].rows[at] = (int8_t)(there ? row : 127);
    reach[i >> 4].columns[at] = (int8_t)(there ? column : 127);
    reach[i >> 4].offsets[at] = (uint8_t)(there ? row * p->in_row + column * p->in_col + i % p->in_c * p->in_chan : 0);
  }
  return (n + 15) >> 4;
}

/* The patch whose first element is x. Of its rows those from inside[0] to before inside[1] are in the image, of its
   columns those from inside[2] to before inside[3]; each is -128 to 127. */
static BYOC_NOINLINE void reach_some(const reach_t* reach, const int8_t* x, int32_t vectors, int32_t zero,
                                     const int32_t* inside, int8_t* to) {
  /* Inputs: reach: offsets, rows and columns for each vector; x: the first element; n > 0: vectors; inside: four
     bounds; to.
     Outputs: reach: behind the last; to: where the next go.
     Clobbers: r0 to r3: the bounds; q0 to q2, q3: zeros; p0, lr, flags; memory at to.
     Holds: an element is in the image if r0 <= row < r1 and r2 <= column < r3; it is loaded from x + offset then,
     else it is zero. Vectors go 64 bytes apart. */
  __asm__ volatile(
      "vdup.8 q3, %[zero]\n\t"
      "ldm %[inside], {r0, r1, r2, r3}\n\t"
      "dls lr, %[n]\n\t"
      "1:\n\t"
      "vldrb.u8 q2, [%[reach]], #16\n\t"
      "vldrb.u8 q0, [%[reach]], #16\n\t"
      "vldrb.u8 q1, [%[reach]], #16\n\t"
      "vpttt.s8 ge, q0, r0\n\t"
      "vcmpt.s8 lt, q0, r1\n\t"
      "vcmpt.s8 ge, q1, r2\n\t"
      "vcmpt.s8 lt, q1, r3\n\t"
      "vpst\n\t"
      "vldrbt.u8 q0, [%[x], q2]\n\t"
      "vpsel q0, q0, q3\n\t"
      "vstrb.8 q0, [%[to]], #64\n\t"
      "le lr, 1b\n\t"
      : [reach] "+&r"(reach), [to] "+&r"(to)
      : [x] "r"(x), [n] "r"(vectors), [zero] "r"(zero), [inside] "r"(inside)
      : "r0", "r1", "r2", "r3", "q0", "q1", "q2", "q3", "lr", "cc", "memory");
}

/* The same of one that lies in the image. */
static inline void reach_all(const reach_t* reach, const int8_t* x, int32_t vectors, int8_t* to) {
  __asm__ volatile(
      "dls lr, %[n]\n\t"
      "1:\n\t"
      "vldrb.u8 q0, [%[reach]], #48\n\t"
      "vldrb.u8 q1, [%[x], q0]\n\t"
      "vstrb.8 q1, [%[to]], #64\n\t"
      "le lr, 1b\n\t"
      : [reach] "+&r"(reach), [to] "+&r"(to)
      : [x] "r"(x), [n] "r"(vectors)
      : "q0", "q1", "lr", "cc", "memory");
}

/* A patch whose taps are whole blocks, from the image itself, one by one. */
static void gather_blocks(const byoc_conv_s8_t* p, const int8_t* in, int32_t y, int32_t left, int8_t* to) {
  const int32_t blocks = p->in_c >> 4, row = p->kernel_w * blocks;
  int32_t ky, kx;
  for (ky = p->kernel_h; ky > 0; --ky, y += p->dilation_h) {
    if (y < 0 || y >= p->in_h) {
      to = interleave_zero(p->in_zero, row, to);
    } else {
      int32_t x = left;
      for (kx = p->kernel_w; kx > 0; --kx, x += p->dilation_w)
        to = x < 0 || x >= p->in_w ? interleave_zero(p->in_zero, blocks, to)
                                   : interleave(in + y * p->in_row + x * p->in_col, 1, 0, blocks, to);
    }
  }
}

/* How patches are made, and of which pixel the next one is. */
typedef struct patches_t {
  const int8_t* in;
  int32_t vectors;       /* by offsets: of a patch; else 0 */
  int32_t whole, joined; /* the taps are whole blocks; those of a row are next to each other, too */
  int32_t right, bottom; /* where the last windows without border begin */
  int32_t oy, ox, y, x;  /* of the pixel, and of its window in the image */
  int8_t* staged;        /* room for a patch that is neither reached by offsets nor in whole blocks; */
  reach_t* reach;        /* of one that is, there */
} patches_t;

static int32_t at_most(int32_t x, int32_t most) { return x < most ? x : most; }

/* The patch of one pixel. */
static void next_patch(const byoc_conv_s8_t* p, const patches_t* t, int8_t* to) {
  const int32_t y = t->y, x = t->x, inside = x >= 0 && x <= t->right && y >= 0 && y <= t->bottom;
  const int8_t* from = t->in + y * p->in_row + x * p->in_col;
  const int32_t blocks = p->kernel_w * p->in_c >> 4;
  if (t->vectors && inside) {
    reach_all(t->reach, from, t->vectors, to);
  } else if (t->vectors) {
    const int32_t there[4] = {-at_most(y, 0), at_most(p->in_h - y, 127), -at_most(x, 0), at_most(p->in_w - x, 127)};
    reach_some(t->reach, from, t->vectors, p->in_zero, there, to);
  } else if (t->joined && inside) {
    interleave(from, p->kernel_h, p->dilation_h * p->in_row, blocks, to);
  } else if (t->whole) {
    gather_blocks(p, t->in, y, x, to);
  } else {
    take_patch(p, t->in, t->oy, t->ox, t->staged);
    interleave(t->staged, 1, 0, (p->kernel_h * p->kernel_w * p->in_c + 15) >> 4, to);
  }
}

/* Goes `pixels` on, which are of one row. */
static inline void go_on(const byoc_conv_s8_t* p, patches_t* t, int32_t pixels) {
  t->ox += pixels;
  t->x += pixels * p->stride_w;
  if (t->ox < p->out_w) return;
  t->ox = 0;
  t->x = -p->pad_left;
  ++t->oy;
  t->y += p->stride_h;
}

#endif
