/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 and SHA-512 (FIPS 180-4) of parts that lie in memory one behind the other. */
#ifndef SHA2_H
#define SHA2_H

#include <stdint.h>

typedef struct sha2_part {
  const uint8_t* data;
  uint32_t bytes;
} sha2_part_t;

void sha256(uint8_t digest[32], const sha2_part_t* parts, uint32_t count);
void sha512(uint8_t digest[64], const sha2_part_t* parts, uint32_t count);

#endif
