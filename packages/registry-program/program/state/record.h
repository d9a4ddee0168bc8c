// The record of a deactivated agent. The owner's next agent starts with its reputation.
#pragma once
#include "../system.h"
#include "config.h"

#define RECORD_SIZE 51
#define RECORD_LIFETIME (30ll * DAY)

typedef struct {
  u64 discriminator;
  Pubkey owner;
  i64 deactivated_at;
  u16 final_reputation;
  u8 bump;
} Record;

_Static_assert(__builtin_offsetof(Record, bump) == RECORD_SIZE - 1, "as in the IDL");

static u64 load_record(const Context *context, u64 index, const Account *owner, Record **record) {
  const Account *account = &context->accounts[index];
  Seeds seeds;
  TRY(check_type(account, context->program_id, ACCOUNT_DEACTIVATION_RECORD, RECORD_SIZE));
  *record = (Record *)account->data;
  RECORD_SEEDS(&seeds, owner->key);
  return require_recorded(context, account, &seeds, (*record)->bump);
}

// `record` is 0 if the owner has none. The address is checked in both cases, so that an empty
// account cannot replace a record with a bad reputation.
static NOINLINE u64 find_record(const Context *context, u64 index, const Account *owner, Record **record,
                                Seeds *seeds) {
  const Account *account = &context->accounts[index];
  *record = 0;
  RECORD_SEEDS(seeds, owner->key);
  if (owned_by(account, context->program_id)) return load_record(context, index, owner, record);
  TRY(require_canonical(context, account, seeds));
  REQUIRE(is_unused(account), ERROR_INVALID_ACCOUNT_OWNER);
  return 0;
}
