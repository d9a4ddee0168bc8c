// A reporter: an authority that may report the behavior of agents.
#pragma once
#include "../text.h"
#include "../system.h"
#include "config.h"

#define REPORTER_SIZE 119
#define MIN_WEIGHT 5
#define MAX_WEIGHT 10

typedef struct {
  const Account *account;
  const Pubkey *authority;
  const Pubkey *registered_by;
  Text label;
  u8 weight;
  u64 total_reports;
  bool active;
  u8 bump;
  u8 image[REPORTER_SIZE];
} Reporter;

static NOINLINE u64 load_reporter(const Context *context, u64 index, Reporter *reporter) {
  const Account *account = &context->accounts[index];
  TRY(check_type(account, context->program_id, ACCOUNT_REPUTATION_REPORTER, REPORTER_SIZE));
  sol_memcpy_(reporter->image, account->data, REPORTER_SIZE);
  Reader reader = {reporter->image + 8, REPORTER_SIZE - 8, 0};
  reporter->account = account;
  reporter->authority = read_key(&reader);
  reporter->registered_by = read_key(&reader);
  reporter->label = read_text(&reader);
  reporter->weight = read_u8(&reader);
  reporter->total_reports = read_u64(&reader);
  reporter->active = read_flag(&reader);
  reporter->bump = read_u8(&reader);
  REQUIRE(!reader.failed, ERROR_INVALID_ACCOUNT_DATA);
  Seeds seeds;
  REPORTER_SEEDS(&seeds, reporter->authority);
  return require_recorded(context, account, &seeds, reporter->bump);
}

// The label never changes, so the bytes after the last field are always zero.
static NOINLINE void store_reporter(const Reporter *reporter) {
  Writer writer = {reporter->account->data, REPORTER_SIZE};
  write_u64(&writer, ACCOUNT_REPUTATION_REPORTER);
  write_key(&writer, reporter->authority);
  write_key(&writer, reporter->registered_by);
  write_text(&writer, reporter->label);
  write_u8(&writer, reporter->weight);
  write_u64(&writer, reporter->total_reports);
  write_u8(&writer, reporter->active);
  write_u8(&writer, reporter->bump);
}
