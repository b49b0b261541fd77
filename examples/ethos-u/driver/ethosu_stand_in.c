/*
 * A driver without a device: it checks what a model hands over, and answers with each output byte being the sum of its
 * number and of all input bytes, so that a test knows whether the right memory was read and written.
 */
#include "ethosu_driver.h"

enum { kWeights, kScratch, kFastScratch, kFirstOperand, kLeastRegions = 5, kAlign = 16 };

struct ethosu_driver {
  int reserved;
};

static struct ethosu_driver device;

struct ethosu_driver* ethosu_reserve_driver(void) {
  if (device.reserved) return NULL;
  device.reserved = 1;
  return &device;
}

void ethosu_release_driver(struct ethosu_driver* driver) { driver->reserved = 0; }

/* What is wrong with the job; 0: nothing. Any job without commands is one. */
static int check(const uint8_t* stream, int size, const uint64_t* base, const size_t* bytes, int count) {
  int i;
  if (stream == NULL || (uintptr_t)stream % kAlign != 0) return 10;
  if (size < 8 || size % 4 != 0) return 11;
  if (stream[0] != 'C' || stream[1] != 'O' || stream[2] != 'P' || stream[3] != '1') return 12;
  if (count < kLeastRegions) return 13;
  for (i = 0; i < count; ++i) {
    if (bytes[i] == 0 || base[i] == 0 || base[i] > UINTPTR_MAX) return 20 + i;
    if (i < kFirstOperand && base[i] % kAlign != 0) return 30 + i;
  }
  /* Weights are in flash: the scratch memory is not over them, nor over the commands. */
  if (base[kWeights] < base[kScratch] + bytes[kScratch] && base[kScratch] < base[kWeights] + bytes[kWeights]) return 40;
  if ((uintptr_t)stream < base[kScratch] + bytes[kScratch] && base[kScratch] < (uintptr_t)stream + (size_t)size)
    return 41;
  return 0;
}

int ethosu_invoke_v3(struct ethosu_driver* driver, const void* custom_data_ptr, const int custom_data_size,
                     uint64_t* const base_addr, const size_t* base_addr_size, const int num_base_addr, void* user_arg) {
  const uint8_t* stream = (const uint8_t*)custom_data_ptr;
  const int status = check(stream, custom_data_size, base_addr, base_addr_size, num_base_addr);
  const int last = num_base_addr - 1;
  uint8_t sum = 0;
  size_t n;
  int i;
  (void)user_arg;
  if (driver == NULL || !driver->reserved) return 1;
  if (status != 0) return status;
  for (i = kFirstOperand; i < last; ++i)
    for (n = 0; n < base_addr_size[i]; ++n) sum = (uint8_t)(sum + ((const uint8_t*)(uintptr_t)base_addr[i])[n]);
  /* All of the scratch memory is the device's while a job runs. */
  for (n = 0; n < base_addr_size[kScratch]; ++n) ((uint8_t*)(uintptr_t)base_addr[kScratch])[n] = 0xa5;
  for (n = 0; n < base_addr_size[last]; ++n) ((uint8_t*)(uintptr_t)base_addr[last])[n] = (uint8_t)(sum + n);
  return 0;
}
