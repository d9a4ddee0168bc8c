// One invocation of the program: accounts, arguments and time.
#pragma once
#include "account.h"

#define SPARE_BYTES 10240
#define DUPLICATE_NONE 0xff

typedef struct {
  Account accounts[MAX_ACCOUNTS];
  u64 account_count;
  Reader args;
  const Pubkey *program_id;
  // Unix seconds, after `read_clock`.
  i64 now;
  // Set if the instruction emits events.
  const Account *event_authority;
  u8 event_bump;
} Context;

static u8 *align_8(u8 *at) { return (u8 *)(((u64)at + 7) & ~7ull); }

// Ignores accounts after the first MAX_ACCOUNTS.
static void parse_input(u8 *at, Context *context) {
  context->account_count = *(u64 *)at;
  at += 8;
  for (u64 i = 0; i < context->account_count; i++) {
    u8 duplicate = at[0];
    Account *account = &context->accounts[i < MAX_ACCOUNTS ? i : 0];
    if (duplicate != DUPLICATE_NONE) {
      if (i < MAX_ACCOUNTS) {
        *account = context->accounts[duplicate];
        account->index = (u8)i;
      }
      at += 8;
      continue;
    }
    if (i < MAX_ACCOUNTS) {
      account->index = (u8)i;
      account->signer = at[1] != 0;
      account->writable = at[2] != 0;
      account->key = (const Pubkey *)(at + 8);
      account->owner = (Pubkey *)(at + 40);
      account->lamports = (u64 *)(at + 72);
      account->data = at + 88;
    }
    u64 length = *(u64 *)(at + 80);
    at = align_8(at + 88 + length + SPARE_BYTES) + 8;
  }
  context->args.remaining = *(u64 *)at;
  context->args.at = at + 8;
  context->args.failed = 0;
  context->program_id = (const Pubkey *)(at + 8 + context->args.remaining);
}

static u64 read_clock(Context *context) {
  ClockSysvar clock;
  TRY(sol_get_clock_sysvar(&clock));
  context->now = clock.unix_timestamp;
  return 0;
}

#define DAY 86400

// The start of the day of `now` in UTC, in Unix seconds. The cluster's clock is never before 1970.
static i64 day_start(i64 now) { return (i64)((u64)now / DAY * DAY); }
