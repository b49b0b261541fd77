/*
 * The part of the Ethos-U core driver that a model calls (https://gitlab.arm.com/artificial-intelligence/ethos-u/
 * ethos-u-core-driver). A firmware links the real driver; ethosu_stand_in.c takes its place where there is no device.
 */
#ifndef ETHOSU_DRIVER_H
#define ETHOSU_DRIVER_H

#include <stddef.h>
#include <stdint.h>

struct ethosu_driver;

/* A device for the time of one job, or NULL. */
struct ethosu_driver* ethosu_reserve_driver(void);
void ethosu_release_driver(struct ethosu_driver* driver);

/*
 * Runs a command stream; 0 for success. `base_addr[i]` and `base_addr_size[i]` are memory region i of the stream: 0 the
 * weights, 1 the scratch memory, 2 the fast scratch memory, then inputs and outputs.
 */
int ethosu_invoke_v3(struct ethosu_driver* driver, const void* custom_data_ptr, const int custom_data_size,
                     uint64_t* const base_addr, const size_t* base_addr_size, const int num_base_addr, void* user_arg);

#endif
