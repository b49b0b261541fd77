/* SPDX-License-Identifier: Apache-2.0 */
#include "ed25519.h"

#include <string.h>

#include "sha2.h"

/* Numbers of 256 bits, the lowest word first. Those of the field are only smaller than 2^256 until reduce() makes them
 * smaller than p = 2^255 - 19. Since 2^256 is 38 there, what is carried out of the highest word comes back as 38. */
typedef uint32_t number[8];

/* A point (x, y) of -x^2 + y^2 = 1 + d x^2 y^2 as X = xZ, Y = yZ, T = xyZ. */
typedef struct point {
  number X, Y, Z, T;
} point_t;

static const number zero = {0};
static const number one = {1};
static const number p = {0xffffffed, 0xffffffff, 0xffffffff, 0xffffffff,
                         0xffffffff, 0xffffffff, 0xffffffff, 0x7fffffff};
static const number order = {0x5cf5d3ed, 0x5812631a, 0xa2f79cd6, 0x14def9de,
                             0x00000000, 0x00000000, 0x00000000, 0x10000000}; /* of the base point */
static const number d = {0x135978a3, 0x75eb4dca, 0x4141d8ab, 0x00700a4d,
                         0x7779e898, 0x8cc74079, 0x2b6ffe73, 0x52036cee};
static const number root_of_minus_one = {0x4a0ea0b0, 0xc4ee1b27, 0xad2fe478, 0x2f431806,
                                         0x3dfbd7a7, 0x2b4d0099, 0x4fc1df0b, 0x2b832480};
static const number base_x = {0x8f25d51a, 0xc9562d60, 0x9525a7b2, 0x692cc760,
                              0xfdd6dc5c, 0xc0a4e231, 0xcd6e53fe, 0x216936d3};
static const number base_y = {0x66666658, 0x66666666, 0x66666666, 0x66666666,
                              0x66666666, 0x66666666, 0x66666666, 0x66666666};

static int is_less(const number a, const number b) {
  int i;
  for (i = 7; i > 0 && a[i] == b[i];) --i;
  return a[i] < b[i];
}

/* r = a - b; returns what is borrowed. */
static uint32_t subtract(number r, const number a, const number b) {
  uint64_t borrow = 0;
  int i;
  for (i = 0; i < 8; ++i) {
    const uint64_t difference = (uint64_t)a[i] - b[i] - borrow;
    r[i] = (uint32_t)difference;
    borrow = difference >> 63;
  }
  return (uint32_t)borrow;
}

static void fold(number r, uint64_t carried) {
  int i;
  while (carried != 0) {
    carried *= 38;
    for (i = 0; i < 8; ++i) {
      carried += r[i];
      r[i] = (uint32_t)carried;
      carried >>= 32;
    }
  }
}

static void add(number r, const number a, const number b) {
  uint64_t carry = 0;
  int i;
  for (i = 0; i < 8; ++i) {
    carry += (uint64_t)a[i] + b[i];
    r[i] = (uint32_t)carry;
    carry >>= 32;
  }
  fold(r, carry);
}

static void minus(number r, const number a, const number b) {
  static const number thirty_eight = {38};
  uint32_t borrowed = subtract(r, a, b);
  while (borrowed != 0) borrowed = subtract(r, r, thirty_eight);
}

static void multiply(number r, const number a, const number b) {
  uint32_t product[16] = {0};
  uint64_t carry;
  int i, k;
  for (i = 0; i < 8; ++i) {
    for (carry = 0, k = 0; k < 8; ++k) {
      carry += (uint64_t)a[i] * b[k] + product[i + k];
      product[i + k] = (uint32_t)carry;
      carry >>= 32;
    }
    product[i + 8] = (uint32_t)carry;
  }
  for (carry = 0, i = 0; i < 8; ++i) {
    carry += product[i] + (uint64_t)38 * product[i + 8];
    r[i] = (uint32_t)carry;
    carry >>= 32;
  }
  fold(r, carry);
}

static void reduce(number r) {
  while (!is_less(r, p)) subtract(r, r, p);
}

static int is_same(const number a, const number b) {
  number difference;
  uint32_t bits = 0;
  int i;
  minus(difference, a, b);
  reduce(difference);
  for (i = 0; i < 8; ++i) bits |= difference[i];
  return bits == 0;
}

/* a to the power of (p - 5) / 8 = 2^252 - 3, whose bits but that of 2 are ones. */
static void power(number r, const number a) {
  number base;
  int i;
  memcpy(base, a, sizeof base);
  memcpy(r, a, sizeof base);
  for (i = 250; i >= 0; --i) {
    multiply(r, r, r);
    if (i != 1) multiply(r, r, base);
  }
}

/* RFC 8032, 5.1.4. It holds for all pairs of points, equal ones as well. */
static void sum(point_t* r, const point_t* p1, const point_t* p2) {
  number a, b, c, e;
  minus(a, p1->Y, p1->X);
  minus(b, p2->Y, p2->X);
  multiply(a, a, b);
  add(b, p1->Y, p1->X);
  add(c, p2->Y, p2->X);
  multiply(b, b, c);
  multiply(c, p1->T, p2->T);
  multiply(c, c, d);
  add(c, c, c);
  multiply(e, p1->Z, p2->Z);
  add(e, e, e);
  minus(r->X, b, a); /* E */
  add(r->Y, b, a);   /* H */
  minus(r->Z, e, c); /* F */
  add(r->T, e, c);   /* G */
  memcpy(a, r->X, sizeof a);
  memcpy(b, r->Y, sizeof b);
  memcpy(c, r->Z, sizeof c);
  memcpy(e, r->T, sizeof e);
  multiply(r->X, a, c);
  multiply(r->Y, e, b);
  multiply(r->Z, c, e);
  multiply(r->T, a, b);
}

static void load(number r, const uint8_t* bytes) {
  int i;
  memset(r, 0, sizeof(number));
  for (i = 0; i < 32; ++i) r[i / 4] |= (uint32_t)bytes[i] << i % 4 * 8;
}

static void set_point(point_t* r, const number x, const number y) {
  memcpy(r->X, x, sizeof(number));
  memcpy(r->Y, y, sizeof(number));
  memcpy(r->Z, one, sizeof(number));
  multiply(r->T, x, y);
}

/* The point with `bytes`' y, and x of the other sign than they say. RFC 8032, 5.1.3; 0 where there is none. */
static int load_negative(point_t* r, const uint8_t* bytes) {
  const uint32_t sign = bytes[31] >> 7;
  number x, y, u, v, t;
  load(y, bytes);
  y[7] &= 0x7fffffffu;
  if (!is_less(y, p)) return 0;
  multiply(u, y, y);
  multiply(v, u, d);
  minus(u, u, one);
  add(v, v, one);
  /* x = u v^3 (u v^7)^((p - 5) / 8), or that times the root of -1 */
  multiply(t, v, v);
  multiply(t, t, v);
  multiply(x, t, u); /* u v^3 */
  multiply(t, t, t);
  multiply(t, t, v);
  multiply(t, t, u); /* u v^7 */
  power(t, t);
  multiply(x, x, t);
  multiply(t, x, x);
  multiply(t, t, v);
  if (!is_same(t, u)) {
    minus(u, zero, u);
    if (!is_same(t, u)) return 0;
    multiply(x, x, root_of_minus_one);
  }
  reduce(x);
  if (sign != 0 && is_same(x, zero)) return 0;
  if ((x[0] & 1) == sign) minus(x, zero, x);
  set_point(r, x, y);
  return 1;
}

/* The 64 bytes as a number, modulo the order: one bit after the other. */
static void modulo_order(number r, const uint8_t* bytes) {
  int bit, i;
  memset(r, 0, sizeof(number));
  for (bit = 511; bit >= 0; --bit) {
    uint32_t carry = bytes[bit / 8] >> bit % 8 & 1u;
    for (i = 0; i < 8; ++i) {
      const uint32_t top = r[i] >> 31;
      r[i] = r[i] << 1 | carry;
      carry = top;
    }
    if (!is_less(r, order)) subtract(r, r, order);
  }
}

static unsigned bit_of(const number a, int i) { return a[i / 32] >> i % 32 & 1u; }

/* r = s B + h A, both at once: a bit of each after one doubling. */
static void combine(point_t* r, const number s, const number h, const point_t* a) {
  point_t choice[4];
  int i;
  set_point(&choice[0], zero, one);
  set_point(&choice[1], base_x, base_y);
  choice[2] = *a;
  sum(&choice[3], &choice[1], &choice[2]);
  *r = choice[0];
  for (i = 252; i >= 0; --i) { /* both are below the order, which has 253 bits */
    const unsigned which = bit_of(s, i) | bit_of(h, i) << 1;
    sum(r, r, r);
    if (which != 0) sum(r, r, &choice[which]);
  }
}

/* Whether `bytes` are the point's: its y, with the sign of x. No division: R = (x, y) is compared by R's y times Z. */
static int is_encoded(const point_t* point, const uint8_t* bytes) {
  point_t negative;
  number t;
  if (!load_negative(&negative, bytes)) return 0;
  multiply(t, negative.Y, point->Z);
  if (!is_same(t, point->Y)) return 0;
  multiply(t, negative.X, point->Z);
  add(t, t, point->X);
  return is_same(t, zero);
}

int ed25519_verify(const uint8_t signature[64], const uint8_t public_key[32], const uint8_t* message, uint32_t bytes) {
  const sha2_part_t parts[] = {{signature, 32}, {public_key, 32}, {message, bytes}};
  uint8_t digest[64];
  number s, h;
  point_t key, r;
  load(s, signature + 32);
  if (!is_less(s, order) || !load_negative(&key, public_key)) return 0;
  sha512(digest, parts, 3);
  modulo_order(h, digest);
  combine(&r, s, h, &key); /* s B - h A, which has to be R */
  return is_encoded(&r, signature);
}
