#pragma once
#include "../events.h"
#include "../state/reporter.h"
#include "../state/reputation.h"

static NOINLINE u64 report_behavior(Context *context) {
  const Account *authority = &context->accounts[REPORT_BEHAVIOR_AUTHORITY];
  i16 delta = (i16)read_u16(&context->args);
  u8 reason = read_u8(&context->args);
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  REQUIRE(delta != 0, ERROR_ZERO_DELTA);
  Config *config;
  Reporter reporter;
  Agent agent;
  TRY(load_running_config(context, REPORT_BEHAVIOR_CONFIG, &config));
  TRY(load_reporter(context, REPORT_BEHAVIOR_REPORTER, &reporter));
  REQUIRE(same_key(reporter.authority, authority->key), ERROR_INVALID_PDA);
  REQUIRE(reporter.active, ERROR_REPORTER_INACTIVE);
  TRY(load_agent(context, REPORT_BEHAVIOR_AGENT, &agent));
  REQUIRE(agent.status != AGENT_STATUS_DEACTIVATED, ERROR_AGENT_DEACTIVATED);
  TRY(read_clock(context));

  TRY(add_amount(&reporter.total_reports, 1));
  store_reporter(&reporter);
  apply_report(context, &agent, weigh(delta, reporter.weight), &(Report){authority->key, reason});
  return 0;
}
