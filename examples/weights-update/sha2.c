/* SPDX-License-Identifier: Apache-2.0 */
#include "sha2.h"

#include <string.h>

/* Fractions of the cube roots of the first 80 primes. SHA-256 takes the upper halves of the first 64. */
static const uint64_t round_constants[80] = {
    0x428a2f98d728ae22ULL, 0x7137449123ef65cdULL, 0xb5c0fbcfec4d3b2fULL, 0xe9b5dba58189dbbcULL, 0x3956c25bf348b538ULL,
    0x59f111f1b605d019ULL, 0x923f82a4af194f9bULL, 0xab1c5ed5da6d8118ULL, 0xd807aa98a3030242ULL, 0x12835b0145706fbeULL,
    0x243185be4ee4b28cULL, 0x550c7dc3d5ffb4e2ULL, 0x72be5d74f27b896fULL, 0x80deb1fe3b1696b1ULL, 0x9bdc06a725c71235ULL,
    0xc19bf174cf692694ULL, 0xe49b69c19ef14ad2ULL, 0xefbe4786384f25e3ULL, 0x0fc19dc68b8cd5b5ULL, 0x240ca1cc77ac9c65ULL,
    0x2de92c6f592b0275ULL, 0x4a7484aa6ea6e483ULL, 0x5cb0a9dcbd41fbd4ULL, 0x76f988da831153b5ULL, 0x983e5152ee66dfabULL,
    0xa831c66d2db43210ULL, 0xb00327c898fb213fULL, 0xbf597fc7beef0ee4ULL, 0xc6e00bf33da88fc2ULL, 0xd5a79147930aa725ULL,
    0x06ca6351e003826fULL, 0x142929670a0e6e70ULL, 0x27b70a8546d22ffcULL, 0x2e1b21385c26c926ULL, 0x4d2c6dfc5ac42aedULL,
    0x53380d139d95b3dfULL, 0x650a73548baf63deULL, 0x766a0abb3c77b2a8ULL, 0x81c2c92e47edaee6ULL, 0x92722c851482353bULL,
    0xa2bfe8a14cf10364ULL, 0xa81a664bbc423001ULL, 0xc24b8b70d0f89791ULL, 0xc76c51a30654be30ULL, 0xd192e819d6ef5218ULL,
    0xd69906245565a910ULL, 0xf40e35855771202aULL, 0x106aa07032bbd1b8ULL, 0x19a4c116b8d2d0c8ULL, 0x1e376c085141ab53ULL,
    0x2748774cdf8eeb99ULL, 0x34b0bcb5e19b48a8ULL, 0x391c0cb3c5c95a63ULL, 0x4ed8aa4ae3418acbULL, 0x5b9cca4f7763e373ULL,
    0x682e6ff3d6b2b8a3ULL, 0x748f82ee5defb2fcULL, 0x78a5636f43172f60ULL, 0x84c87814a1f0ab72ULL, 0x8cc702081a6439ecULL,
    0x90befffa23631e28ULL, 0xa4506cebde82bde9ULL, 0xbef9a3f7b2c67915ULL, 0xc67178f2e372532bULL, 0xca273eceea26619cULL,
    0xd186b8c721c0c207ULL, 0xeada7dd6cde0eb1eULL, 0xf57d4f7fee6ed178ULL, 0x06f067aa72176fbaULL, 0x0a637dc5a2c898a6ULL,
    0x113f9804bef90daeULL, 0x1b710b35131c471bULL, 0x28db77f523047d84ULL, 0x32caab7b40c72493ULL, 0x3c9ebe0a15c9bebcULL,
    0x431d67c49c100d4cULL, 0x4cc5d4becb3e42b6ULL, 0x597f299cfc657e2aULL, 0x5fcb6fab3ad6faecULL, 0x6c44198c4a475817ULL};

/* Fractions of the square roots of the first 8 primes. SHA-256 takes the upper halves. */
static const uint64_t initial_state[8] = {0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL, 0x3c6ef372fe94f82bULL,
                                          0xa54ff53a5f1d36f1ULL, 0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL,
                                          0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL};

static uint32_t right32(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }
static uint64_t right64(uint64_t x, unsigned n) { return x >> n | x << (64 - n); }

static void block256(uint32_t state[8], const uint8_t* data) {
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  uint32_t w[64], i;
  for (i = 0; i < 16; ++i, data += 4)
    w[i] = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
  for (; i < 64; ++i)
    w[i] = w[i - 16] + w[i - 7] + (right32(w[i - 15], 7) ^ right32(w[i - 15], 18) ^ w[i - 15] >> 3) +
           (right32(w[i - 2], 17) ^ right32(w[i - 2], 19) ^ w[i - 2] >> 10);
  for (i = 0; i < 64; ++i) {
    const uint32_t t1 = h + (right32(e, 6) ^ right32(e, 11) ^ right32(e, 25)) + ((e & f) ^ (~e & g)) +
                        (uint32_t)(round_constants[i] >> 32) + w[i];
    const uint32_t t2 = (right32(a, 2) ^ right32(a, 13) ^ right32(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void block512(uint64_t state[8], const uint8_t* data) {
  uint64_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint64_t e = state[4], f = state[5], g = state[6], h = state[7];
  uint64_t w[80];
  uint32_t i, k;
  for (i = 0; i < 16; ++i)
    for (k = 0, w[i] = 0; k < 8; ++k) w[i] = w[i] << 8 | *data++;
  for (; i < 80; ++i)
    w[i] = w[i - 16] + w[i - 7] + (right64(w[i - 15], 1) ^ right64(w[i - 15], 8) ^ w[i - 15] >> 7) +
           (right64(w[i - 2], 19) ^ right64(w[i - 2], 61) ^ w[i - 2] >> 6);
  for (i = 0; i < 80; ++i) {
    const uint64_t t1 =
        h + (right64(e, 14) ^ right64(e, 18) ^ right64(e, 41)) + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
    const uint64_t t2 = (right64(a, 28) ^ right64(a, 34) ^ right64(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

/* One of the two: `block` takes `size` bytes. */
typedef struct hash {
  uint32_t size;
  void (*block)(void* state, const uint8_t* data);
  void* state;
} hash_t;

static void any_block256(void* state, const uint8_t* data) { block256(state, data); }
static void any_block512(void* state, const uint8_t* data) { block512(state, data); }

static void take(const hash_t* hash, const sha2_part_t* parts, uint32_t count) {
  uint8_t held[128];
  uint64_t bits = 0;
  uint32_t filled = 0, p, i;
  for (p = 0; p < count; ++p) {
    const uint8_t* data = parts[p].data;
    uint32_t left = parts[p].bytes;
    bits += (uint64_t)left * 8;
    while (left > 0) {
      const uint32_t room = hash->size - filled, n = left < room ? left : room;
      if (n == hash->size) { /* whole blocks are read where they are */
        hash->block(hash->state, data);
      } else {
        memcpy(held + filled, data, n);
        filled += n;
        if (filled == hash->size) hash->block(hash->state, held), filled = 0;
      }
      data += n;
      left -= n;
    }
  }
  held[filled++] = 0x80;
  memset(held + filled, 0, sizeof held - filled);
  /* The length takes an eighth of a block. Its upper half is zero. */
  if (filled > hash->size - hash->size / 8) {
    hash->block(hash->state, held);
    memset(held, 0, sizeof held);
  }
  for (i = 0; i < 8; ++i) held[hash->size - 1 - i] = (uint8_t)(bits >> 8 * i);
  hash->block(hash->state, held);
}

void sha256(uint8_t digest[32], const sha2_part_t* parts, uint32_t count) {
  uint32_t state[8], i;
  const hash_t hash = {64, any_block256, state};
  for (i = 0; i < 8; ++i) state[i] = (uint32_t)(initial_state[i] >> 32);
  take(&hash, parts, count);
  for (i = 0; i < 32; ++i) digest[i] = (uint8_t)(state[i / 4] >> (24 - i % 4 * 8));
}

void sha512(uint8_t digest[64], const sha2_part_t* parts, uint32_t count) {
  uint64_t state[8];
  uint32_t i;
  const hash_t hash = {128, any_block512, state};
  memcpy(state, initial_state, sizeof state);
  take(&hash, parts, count);
  for (i = 0; i < 64; ++i) digest[i] = (uint8_t)(state[i / 8] >> (56 - i % 8 * 8));
}
