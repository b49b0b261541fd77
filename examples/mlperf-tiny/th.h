/* The two halves of a firmware that MLPerf Tiny's runner measures. th_* is what a submitter writes, for a board and a
 * model; ee_* answers the runner. Names and behaviour are those of the benchmark's API (github.com/mlcommons/tiny,
 * benchmark/api), so that th_kws.c and board_mps2.c go with its own ee_* files as well. */
#ifndef TH_H
#define TH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TH_VENDOR_NAME_STRING "byoc"
#define TH_MODEL_VERSION "kws01"

/* monitor.c */
void ee_benchmark_initialize(void);
/* A character from the runner; '%' ends a command, which th_command_ready() gets. */
void ee_serial_callback(char c);
void ee_serial_command_parser_callback(char* command);
/* Copies what `db` loaded, at most `bytes` of it; returns how much it was. */
size_t ee_get_buffer(uint8_t* to, size_t bytes);

/* th_kws.c: the model */
void th_load_tensor(void);
void th_infer(void);
void th_results(void);
void th_pre(void);
void th_post(void);
void th_final_initialize(void);
void th_command_ready(char volatile* command);

/* board_mps2.c: serial port and clock */
void th_serialport_initialize(void);
void th_timestamp_initialize(void);
void th_timestamp(void);
char th_getchar(void);
/* %s %c %d %u %x, each with l or a width as in %02x: what the benchmark's own messages need. */
void th_printf(const char* format, ...);

#ifdef __cplusplus
}
#endif

#endif
