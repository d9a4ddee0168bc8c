// Little-endian readers and writers. The VM allows unaligned access, but clang would load unaligned
// words byte by byte. So words are accessed through plain pointers (-fno-strict-aliasing).
#pragma once
#include "vm.h"

typedef struct {
  const u8 *bytes;
  u64 length;
} Text;

// After a read past the end, `failed` is set and every read returns zero.
typedef struct {
  const u8 *at;
  u64 remaining;
  bool failed;
} Reader;

typedef struct {
  u8 *at;
  u64 remaining;
} Writer;

static const u8 ZEROS[32] = {0};

static const u8 *read_bytes(Reader *reader, u64 length) {
  if (length > reader->remaining) {
    reader->failed = 1;
    reader->remaining = 0;
    return ZEROS;
  }
  const u8 *bytes = reader->at;
  reader->at += length;
  reader->remaining -= length;
  return bytes;
}

static u8 read_u8(Reader *reader) { return *read_bytes(reader, 1); }
static u16 read_u16(Reader *reader) { return *(const u16 *)read_bytes(reader, 2); }
static u32 read_u32(Reader *reader) { return *(const u32 *)read_bytes(reader, 4); }
static u64 read_u64(Reader *reader) { return *(const u64 *)read_bytes(reader, 8); }
static const Pubkey *read_key(Reader *reader) { return (const Pubkey *)read_bytes(reader, 32); }

// Reads a bool or the tag of an option. Only 0 and 1 are valid.
static bool read_flag(Reader *reader) {
  u8 value = read_u8(reader);
  if (value > 1) reader->failed = 1;
  return value == 1;
}

static Text read_text(Reader *reader) {
  u64 length = read_u32(reader);
  Text text = {read_bytes(reader, length), length};
  if (reader->failed) text.length = 0;
  return text;
}

static bool read_to_end(const Reader *reader) { return !reader->failed && reader->remaining == 0; }

// Every buffer has room for the longest value, so a full buffer is a bug of this program.
static u8 *claim(Writer *writer, u64 length) {
  if (length > writer->remaining) abort();
  u8 *at = writer->at;
  writer->at += length;
  writer->remaining -= length;
  return at;
}

static void write_u8(Writer *writer, u8 value) { *claim(writer, 1) = value; }
static void write_u16(Writer *writer, u16 value) { *(u16 *)claim(writer, 2) = value; }
static void write_u32(Writer *writer, u32 value) { *(u32 *)claim(writer, 4) = value; }
static void write_u64(Writer *writer, u64 value) { *(u64 *)claim(writer, 8) = value; }

static void copy_key(void *to, const void *from) {
  u64 *target = to;
  const u64 *source = from;
  for (u64 i = 0; i < 4; i++) target[i] = source[i];
}

static void write_key(Writer *writer, const void *key) { copy_key(claim(writer, 32), key); }

static void write_text(Writer *writer, Text text) {
  write_u32(writer, (u32)text.length);
  sol_memcpy_(claim(writer, text.length), text.bytes, text.length);
}

static bool same_key(const void *a, const void *b) {
  const u64 *left = a;
  const u64 *right = b;
  return left[0] == right[0] && left[1] == right[1] && left[2] == right[2] && left[3] == right[3];
}
