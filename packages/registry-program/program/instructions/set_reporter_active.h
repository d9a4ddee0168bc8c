#pragma once
#include "../state/reporter.h"

static NOINLINE u64 set_reporter_active(Context *context) {
  bool active = read_flag(&context->args);
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  Config *config;
  const Account *admin = &context->accounts[SET_REPORTER_ACTIVE_ADMIN];
  TRY(load_config_as_admin(context, SET_REPORTER_ACTIVE_CONFIG, admin, &config));
  Reporter reporter;
  TRY(load_reporter(context, SET_REPORTER_ACTIVE_REPORTER, &reporter));
  reporter.active = active;
  store_reporter(&reporter);
  return 0;
}
