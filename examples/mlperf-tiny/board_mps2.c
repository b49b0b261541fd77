/* Arm's MPS2 board with the AN386 image: CMSDK UART 0, and the counter of its FPGA I/O block. Application Note AN386,
 * Arm DAI 0386, and Cortex-M System Design Kit, Arm DDI 0479. */
#include <stdarg.h>

#include "th.h"

static volatile uint32_t* const uart = (volatile uint32_t*)0x40004000u;
enum { uart_data = 0, uart_state = 1, uart_control = 2, uart_divider = 4 };
enum { transmit_full = 1, receive_full = 2, enable_both = 3 };

static volatile uint32_t* const counter = (volatile uint32_t*)0x40028018u;
static volatile uint32_t* const prescale = (volatile uint32_t*)0x4002801Cu;
enum { clock_mhz = 25, baud = 115200 };

static void put(char c) {
  while ((uart[uart_state] & transmit_full) != 0) {
  }
  uart[uart_data] = (uint8_t)c;
}

static void put_number(uint32_t value, uint32_t base, uint32_t width, char fill) {
  char text[10];
  uint32_t size = 0;
  do {
    text[size++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value > 0);
  for (uint32_t i = size; i < width; ++i) put(fill);
  while (size > 0) put(text[--size]);
}

static void put_text(const char* text) {
  while (*text != '\0') put(*text++);
}

void th_printf(const char* format, ...) {
  va_list values;
  va_start(values, format);
  for (; *format != '\0'; ++format) {
    uint32_t width = 0;
    if (*format != '%') {
      put(*format);
      continue;
    }
    const char fill = *++format == '0' ? '0' : ' ';
    for (; *format >= '0' && *format <= '9'; ++format) width = width * 10 + (uint32_t)(*format - '0');
    if (*format == 'l') ++format; /* as long as int here */
    if (*format == 's') {
      put_text(va_arg(values, const char*));
    } else if (*format == 'c') {
      put((char)va_arg(values, int));
    } else if (*format == 'd') {
      const int value = va_arg(values, int);
      if (value < 0) put('-');
      put_number(value < 0 ? 0u - (uint32_t)value : (uint32_t)value, 10, width, fill);
    } else if (*format == 'u') {
      put_number(va_arg(values, unsigned), 10, width, fill);
    } else if (*format == 'x') {
      put_number(va_arg(values, unsigned), 16, width, fill);
    } else if (*format == '%') {
      put('%');
    } else {
      break; /* '\0', or what this one does not have */
    }
  }
  va_end(values);
}

char th_getchar(void) {
  while ((uart[uart_state] & receive_full) == 0) {
  }
  return (char)uart[uart_data];
}

void th_serialport_initialize(void) {
  uart[uart_divider] = clock_mhz * 1000000u / baud;
  uart[uart_control] = enable_both;
}

/* The counter goes up once a microsecond. */
void th_timestamp_initialize(void) {
  *prescale = clock_mhz - 1;
  th_printf("m-timestamp-mode-performance\r\n");
}

void th_timestamp(void) { th_printf("m-lap-us-%lu\r\n", (unsigned long)*counter); }

int main(void) {
  ee_benchmark_initialize();
  for (;;) ee_serial_callback(th_getchar());
}
