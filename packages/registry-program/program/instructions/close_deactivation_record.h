#pragma once
#include "../state/record.h"

static NOINLINE u64 close_deactivation_record(Context *context) {
  const Account *owner = &context->accounts[CLOSE_DEACTIVATION_RECORD_OWNER];
  const Account *account = &context->accounts[CLOSE_DEACTIVATION_RECORD_DEACTIVATION_RECORD];
  Config *config;
  Record *record;
  i64 closable_at;
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  TRY(load_running_config(context, CLOSE_DEACTIVATION_RECORD_CONFIG, &config));
  TRY(load_record(context, CLOSE_DEACTIVATION_RECORD_DEACTIVATION_RECORD, owner, &record));
  TRY(read_clock(context));
  REQUIRE(!__builtin_add_overflow(record->deactivated_at, RECORD_LIFETIME, &closable_at), ERROR_OVERFLOW);
  REQUIRE(context->now >= closable_at, ERROR_RECORD_TOO_YOUNG);
  return close_account(account, owner);
}
