// The log line of an error, in the format of Anchor, so that its clients show name and message.
#pragma once
#include "bytes.h"

static NOINLINE void write_chars(Writer *writer, const char *text, u64 length) {
  sol_memcpy_(claim(writer, length), text, length);
}

#define WRITE_TEXT(writer, text) write_chars(writer, text, sizeof text - 1)

#define ERROR_CASE(code, text)  \
  case code:                    \
    WRITE_TEXT(&writer, text);  \
    break;

// Writes the name of the account at this position. `names` is separated by spaces.
static NOINLINE void write_account_name(Writer *writer, u64 position, const char *names) {
  for (; position > 0; names++)
    if (*names == ' ') position--;
  for (; *names != ' ' && *names != 0; names++) write_u8(writer, (u8)*names);
}

// The upper half of `failure` is the position of the account from 1, or 0. The lower half is the
// code.
// Returns the code. Errors that the IDL does not define have no line.
static NOINLINE u64 report_error(u64 failure, const char *account_names) {
  u8 line[MAX_ERROR_LINE];
  Writer writer = {line, sizeof line};
  u64 position = failure >> 32;
  u64 code = failure & 0xffffffff;
  WRITE_TEXT(&writer, "AnchorError ");
  if (position == 0) {
    WRITE_TEXT(&writer, "occurred");
  } else {
    WRITE_TEXT(&writer, "caused by account: ");
    write_account_name(&writer, position - 1, account_names);
  }
  WRITE_TEXT(&writer, ". Error Code: ");
  switch (code) {
    ERRORS(ERROR_CASE)
    default:
      return code;
  }
  sol_log_((const char *)line, sizeof line - writer.remaining);
  return code;
}
