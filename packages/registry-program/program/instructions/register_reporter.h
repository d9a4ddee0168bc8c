#pragma once
#include "../state/reporter.h"

static NOINLINE u64 register_reporter(Context *context) {
  const Account *admin = &context->accounts[REGISTER_REPORTER_ADMIN];
  const Account *account = &context->accounts[REGISTER_REPORTER_REPORTER];
  Reporter reporter;
  reporter.label = read_text(&context->args);
  reporter.weight = read_u8(&context->args);
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  Config *config;
  TRY(load_config_as_admin(context, REGISTER_REPORTER_CONFIG, admin, &config));
  REQUIRE(is_clean_text(&reporter.label, 1, MAX_LABEL), ERROR_INVALID_LABEL);
  REQUIRE(reporter.weight >= MIN_WEIGHT && reporter.weight <= MAX_WEIGHT, ERROR_INVALID_WEIGHT);

  Seeds seeds;
  reporter.account = account;
  reporter.authority = context->accounts[REGISTER_REPORTER_AUTHORITY].key;
  reporter.registered_by = admin->key;
  reporter.total_reports = 0;
  reporter.active = 1;
  REPORTER_SEEDS(&seeds, reporter.authority);
  TRY(require_canonical(context, account, &seeds));
  TRY(create_account(&(Creation){admin, account, context->program_id, REPORTER_SIZE}, &seeds));
  reporter.bump = seeds.bump;
  store_reporter(&reporter);
  return 0;
}
