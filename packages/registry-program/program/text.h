// The rules for texts.
#pragma once
#include "bytes.h"

#define MAX_NAME 32
#define MAX_VERSION 16
#define MAX_CARD_URL 200
#define MAX_LABEL 32

static bool is_continuation(u8 byte) { return (byte & 0xc0) == 0x80; }

// The length of the UTF-8 sequence at `at`, or 0 if it is not allowed: overlong forms, surrogates,
// code points above U+10FFFF and control characters (U+0000-001F, U+007F-009F).
static u64 sequence_length(const u8 *at, u64 remaining) {
  u8 first = at[0];
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  u64 length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length > remaining) return 0;
  for (u64 i = 1; i < length; i++)
    if (!is_continuation(at[i])) return 0;
  u8 second = at[1];
  bool refused = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                 (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                 (first == 0xf4 && second > 0x8f);
  return refused ? 0 : length;
}

static NOINLINE bool is_clean_text(const Text *text, u64 min, u64 max) {
  if (text->length < min || text->length > max) return 0;
  for (u64 i = 0; i < text->length;) {
    u64 length = sequence_length(text->bytes + i, text->length - i);
    if (length == 0) return 0;
    i += length;
  }
  return 1;
}

static bool starts_with(const Text *text, const char *prefix, u64 length) {
  if (text->length <= length) return 0;
  for (u64 i = 0; i < length; i++)
    if (text->bytes[i] != (u8)prefix[i]) return 0;
  return 1;
}

static bool is_card_url(const Text *url) {
  return is_clean_text(url, 1, MAX_CARD_URL) &&
         (starts_with(url, "https://", 8) || starts_with(url, "ipfs://", 7) || starts_with(url, "ar://", 5) ||
          starts_with(url, "did:", 4));
}
