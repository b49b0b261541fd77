/* The plug-in ABI of byoc: what all of its headers are made of.
 *
 * Rules for every struct and function of the ABI, unless its own comment says otherwise:
 *
 * Layout     The first member of a struct that may grow is `struct_size`: sizeof as its writer was compiled. New
 *            members are appended, never inserted; a reader uses BYOC_HAS before it touches one that is newer than
 *            minor 0. What a short struct lacks reads as zero. Lists of such structs are arrays of pointers, so that
 *            an index never depends on a size. Structs without struct_size (byoc_string_t ...) never change.
 * Types      Fixed-width integers, float and double in IEEE 754 format, pointers. No enum, bool, long or size_t.
 *            Unknown bits of a flag word and unknown values of a code are an error of their writer (status
 *            BYOC_INVALID_ARGUMENT), never ignored.
 * Text       byoc_string_t: UTF-8 where it is for people, any bytes where it comes from a model; no terminating zero.
 * Thread     The host calls one codegen from one thread at a time. A plug-in calls the host only from the thread in
 *            which the host is calling it, and only before it returns from that call.
 * Lifetime   What one side hands over lives until the function returns. Who needs it longer copies it.
 * Ownership  Nothing that one side allocates is freed by the other.
 * Failure    Functions return a status. Errors of a plug-in are told with byoc_host_t::diag before it returns one.
 *            When a function of the host fails it has told its diagnostics already; the plug-in returns that status.
 *            No C++ exception, longjmp, exit or abort may leave a function, on either side; nobody writes to stdout.
 *
 * C11 and later, C++11 and later, hosted or freestanding. docs/plugin-abi.md numbers the requirements.
 */
#ifndef BYOC_ABI_BASE_H
#define BYOC_ABI_BASE_H

#include <stddef.h>
#include <stdint.h>

/* A new major version is another entry symbol; a new minor one appends. */
#define BYOC_ABI_MAJOR 1u
#define BYOC_ABI_MINOR 0u
/* The version of the operators in domain "byoc" that these headers were released with (docs/graph-language.md). */
#define BYOC_OPERATORS_VERSION 1u

/* True if the writer of *p knows `member`. `type` is the struct's name. */
#define BYOC_HAS(type, p, member) \
  ((p)->struct_size >= (uint32_t)(offsetof(type, member) + sizeof(((const type*)0)->member)))

typedef int32_t byoc_status_t;

#define BYOC_OK ((byoc_status_t)0)
#define BYOC_FAILED ((byoc_status_t)-1)           /* an error that the diagnostics describe */
#define BYOC_INVALID_ARGUMENT ((byoc_status_t)-2) /* an id out of range, a bad alignment, an unknown code or flag ... */
#define BYOC_UNSUPPORTED ((byoc_status_t)-3)      /* this host or plug-in does not have what was asked for */
#define BYOC_OUT_OF_MEMORY ((byoc_status_t)-4)
#define BYOC_CANCELLED ((byoc_status_t)-5)        /* after byoc_host_t::cancelled said so */
#define BYOC_WRONG_STATE ((byoc_status_t)-6)      /* called outside the phase it belongs to */
#define BYOC_LIMIT ((byoc_status_t)-7)            /* a limit of the host: too many, too large */
#define BYOC_INTERNAL ((byoc_status_t)-8)         /* a bug: an exception that was caught at the border */

/* No value, node, pattern, handle. */
#define BYOC_NONE 0xffffffffu

/* Never changes. data may be NULL where size is 0. */
typedef struct byoc_string {
  const char* data;
  uint64_t size; /* bytes */
} byoc_string_t;

/* An initialiser from a literal: static const byoc_string_t kId = BYOC_STRING("com.acme.npu"); */
#define BYOC_STRING(literal) {(literal), sizeof(literal) - 1}

/* The content of a constant: equal contents have equal identities; the host compares before it merges. Never
 * changes. */
typedef struct byoc_identity {
  uint64_t size; /* bytes */
  uint64_t high; /* XXH3-128 */
  uint64_t low;
} byoc_identity_t;

/* Element types. Elements of fewer than 8 bits are stored several to a byte, the first in its lowest bits; bool as one
 * byte, 0 or 1. */
#define BYOC_UNDEFINED 0u
#define BYOC_F32 1u
#define BYOC_U8 2u
#define BYOC_I8 3u
#define BYOC_U16 4u
#define BYOC_I16 5u
#define BYOC_I32 6u
#define BYOC_I64 7u
#define BYOC_BOOL 8u
#define BYOC_F16 9u
#define BYOC_F64 10u
#define BYOC_U32 11u
#define BYOC_U64 12u
#define BYOC_BF16 13u
#define BYOC_I4 14u
#define BYOC_U4 15u
#define BYOC_I2 16u
#define BYOC_U2 17u
#define BYOC_F8E4M3FN 18u /* exponent and mantissa bits, as ONNX's types of that name */
#define BYOC_F8E4M3FNUZ 19u
#define BYOC_F8E5M2 20u
#define BYOC_F8E5M2FNUZ 21u
#define BYOC_F8E8M0 22u
#define BYOC_F4E2M1 23u

#endif
