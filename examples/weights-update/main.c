/* A firmware that takes the weights of its model from two slots of flash, and says which it took and what it computes.
 * The slots are written without it: by a flash tool, or by a boot loader that has received an update. */
#include <stdint.h>
#include <string.h>

#include "console.h"
#include "ed25519.h"
#include "model.h"
#include "sha2.h"

/* Where the board's flash has them (slots.ld would say it for a real one). */
enum { slot_bytes = 0x80000 };
static const byoc_weights_slot_t slots[] = {{(const void*)0x00200000u, slot_bytes},
                                            {(const void*)0x00280000u, slot_bytes}};

static uint32_t workspace[(MODEL_WORKSPACE_SIZE + 3) / 4] __attribute__((aligned(MODEL_WORKSPACE_ALIGN)));
static int8_t input[MODEL_INPUT_0_SIZE];
static int8_t output[MODEL_OUTPUT_0_SIZE];

/* The lowest sequence number that is accepted. A product has it in memory that only its boot loader writes. */
static const volatile uint32_t* const least_sequence = (const volatile uint32_t*)0x002f0000u;

/* The public half of the key that signs updates. Its 32 bytes are written beside this file by the commands of README.
 */
static const uint8_t public_key[32] = {
#include "public_key.inc"
};

enum { unsigned_weights = 1, older_weights, foreign_signature, other_payload };

/* The signature is over the header, and the header has the hash of the payload: both are checked. */
static int32_t verify(void* context, const byoc_weights_view_t* weights) {
  const sha2_part_t payload = {weights->payload, weights->payload_bytes};
  uint8_t digest[32];
  (void)context;
  if (weights->signature == 0) return unsigned_weights;
  if (weights->sequence < *least_sequence) return older_weights;
  if (!ed25519_verify(weights->signature, public_key, weights->header, BYOC_WEIGHTS_SIGNED)) return foreign_signature;
  sha256(digest, &payload, 1);
  return memcmp(digest, weights->sha256, sizeof digest) == 0 ? 0 : other_payload;
}

static void say(const char* text, int32_t value) {
  console_text(text);
  console_number((uint32_t)value, 1);
  console_text("\n");
}

int main(void) {
  const model_inputs_t inputs = {input};
  const model_outputs_t outputs = {output};
  uint32_t chosen = 0, sum = 0, i;
  for (i = 0; i < sizeof input; ++i) input[i] = (int8_t)(i * 7);
  say("run before binding: ", model_run(&inputs, &outputs, workspace));
  say("slot A: ", model_bind(slots[0].blob, slots[0].bytes, verify, 0));
  say("slot B: ", model_bind(slots[1].blob, slots[1].bytes, verify, 0));
  say("slots: ", model_bind_slots(slots, 2, verify, 0, &chosen));
  say("chosen: ", (int32_t)chosen);
  say("run: ", model_run(&inputs, &outputs, workspace));
  for (i = 0; i < sizeof output; ++i) sum = sum * 31u + (uint8_t)output[i];
  say("answer: ", (int32_t)(sum & 0xffffffu));
  return 0;
}
