/* Answers MLPerf Tiny's runner: commands that end in '%', answers in lines that begin with "m-" (or "e-" for an error),
 * and "m-ready" when the next command may come. */
#include <string.h>

#include "th.h"

enum { command_bytes = 80, buffer_bytes = 96 * 96 * 3 /* the largest input of the suite */, bytes_of_a_line = 8 };

static char command[command_bytes + 1];
static size_t command_size;
static int is_ready;

static uint8_t buffer[buffer_bytes];
static size_t expected, received;

/* The next word of a command, cut off from the rest; NULL if there is none. */
static char* next_word(char** rest) {
  char* word = *rest;
  while (*word == ' ' || *word == '\r' || *word == '\n') ++word;
  if (*word == '\0') return NULL;
  *rest = word;
  while (**rest != '\0' && **rest != ' ' && **rest != '\r' && **rest != '\n') ++*rest;
  if (**rest != '\0') *(*rest)++ = '\0';
  return word;
}

/* Whether `text` is a number in decimal that fits. */
static int read_number(const char* text, uint32_t* out) {
  uint32_t value = 0;
  if (*text == '\0') return 0;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9' || value > UINT32_MAX / 10 - 1) return 0;
    value = value * 10 + (uint32_t)(*text - '0');
  }
  *out = value;
  return 1;
}

/* The number in the next word; `otherwise` if there is no word. */
static int read_next(char** rest, uint32_t otherwise, uint32_t* out) {
  const char* const word = next_word(rest);
  *out = otherwise;
  return word == NULL || read_number(word, out);
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static void load(char** rest) {
  uint32_t bytes = 0;
  if (!read_next(rest, 0, &bytes) || bytes == 0 || bytes > buffer_bytes) {
    th_printf("e-[db load wants 1 to %u bytes]\r\n", (unsigned)buffer_bytes);
    return;
  }
  expected = bytes;
  received = 0;
  th_printf("m-[Expecting %u bytes]\r\n", (unsigned)bytes);
}

static void append(const char* digits) {
  const size_t size = strlen(digits);
  if (size % 2 != 0) {
    th_printf("e-[Bytes are two digits each, found %u]\r\n", (unsigned)size);
    return;
  }
  for (size_t i = 0; i < size; i += 2) {
    const int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) {
      th_printf("e-[No hexadecimal digits: '%c%c']\r\n", digits[i], digits[i + 1]);
      return;
    }
    if (received == expected) {
      th_printf("e-[More than the %u bytes of db load]\r\n", (unsigned)expected);
      return;
    }
    buffer[received++] = (uint8_t)(high * 16 + low);
  }
  if (received == expected) th_printf("m-load-done\r\n");
}

static void print(char** rest) {
  uint32_t bytes = 0, offset = 0;
  if (!read_next(rest, (uint32_t)received, &bytes) || !read_next(rest, 0, &offset) || offset > received) {
    th_printf("e-[db print wants numbers, found %u bytes]\r\n", (unsigned)received);
    return;
  }
  if (bytes > received - offset) bytes = (uint32_t)received - offset;
  for (uint32_t i = 0; i < bytes; ++i) {
    if (i % bytes_of_a_line == 0) th_printf("m-buffer");
    th_printf("-%02x", (unsigned)buffer[offset + i]);
    if (i % bytes_of_a_line == bytes_of_a_line - 1 || i + 1 == bytes) th_printf("\r\n");
  }
}

static void db(char** rest) {
  char* const what = next_word(rest);
  if (what == NULL) {
    th_printf("e-[db wants a subcommand]\r\n");
  } else if (strcmp(what, "load") == 0) {
    load(rest);
  } else if (strcmp(what, "print") == 0) {
    print(rest);
  } else {
    append(what);
  }
}

static void infer(char** rest) {
  uint32_t runs = 0, warmups = 0;
  if (!read_next(rest, 1, &runs) || runs == 0 || !read_next(rest, 10, &warmups)) {
    th_printf("e-[infer wants 1 or more runs, and a number to warm up]\r\n");
    return;
  }
  th_load_tensor();
  th_printf("m-warmup-start-%u\r\n", (unsigned)warmups);
  while (warmups-- > 0) th_infer();
  th_printf("m-warmup-done\r\n");
  th_printf("m-infer-start-%u\r\n", (unsigned)runs);
  th_timestamp();
  th_pre();
  while (runs-- > 0) th_infer();
  th_post();
  th_timestamp();
  th_printf("m-infer-done\r\n");
  th_results();
}

static void help(void) {
  th_printf("name | profile | timestamp | results | infer [RUNS=1 [WARMUPS=10]]\r\n");
  th_printf("db load BYTES | db HEX | db print [BYTES [OFFSET]]\r\n");
}

void ee_serial_command_parser_callback(char* text) {
  const char* const name = next_word(&text);
  if (name == NULL) {
    /* A lone '%': somebody looks whether anybody is there. */
  } else if (strcmp(name, "name") == 0) {
    th_printf("m-name-dut-[%s]\r\n", TH_VENDOR_NAME_STRING);
  } else if (strcmp(name, "profile") == 0) {
    th_printf("m-profile-[ULPMark for tinyML Firmware V0.0.1]\r\n"); /* what the runner looks for */
    th_printf("m-model-[%s]\r\n", TH_MODEL_VERSION);
  } else if (strcmp(name, "timestamp") == 0) {
    th_timestamp();
  } else if (strcmp(name, "db") == 0) {
    db(&text);
  } else if (strcmp(name, "infer") == 0) {
    infer(&text);
  } else if (strcmp(name, "results") == 0) {
    th_results();
  } else if (strcmp(name, "help") == 0) {
    help();
  } else {
    th_printf("e-[Unknown command: %s]\r\n", name);
  }
  th_printf("m-ready\r\n");
}

void ee_serial_callback(char c) {
  if (!is_ready) return;
  if (c != '%') {
    if (command_size < command_bytes) command[command_size] = c;
    ++command_size;
    return;
  }
  if (command_size > command_bytes) {
    th_printf("e-[A command has at most %u characters]\r\nm-ready\r\n", (unsigned)command_bytes);
  } else {
    command[command_size] = '\0';
    th_command_ready(command);
  }
  command_size = 0;
}

void ee_benchmark_initialize(void) {
  th_serialport_initialize();
  th_timestamp_initialize();
  th_final_initialize();
  th_printf("m-init-done\r\n");
  is_ready = 1;
  th_printf("m-ready\r\n");
}

size_t ee_get_buffer(uint8_t* to, size_t bytes) {
  const size_t size = bytes < received ? bytes : received;
  if (to != NULL) memcpy(to, buffer, size);
  return size;
}
