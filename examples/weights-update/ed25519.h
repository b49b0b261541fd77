/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 signatures (RFC 8032), verified. All that is read here is public, so the time it takes depends on it. */
#ifndef ED25519_H
#define ED25519_H

#include <stdint.h>

/* 1 if `signature` is the key's of the message, 0 otherwise. */
int ed25519_verify(const uint8_t signature[64], const uint8_t public_key[32], const uint8_t* message, uint32_t bytes);

#endif
