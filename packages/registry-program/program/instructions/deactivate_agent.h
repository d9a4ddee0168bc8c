#pragma once
#include "../events.h"
#include "../state/record.h"

static u64 write_record(const Context *context, const Agent *agent) {
  const Account *owner = &context->accounts[DEACTIVATE_AGENT_OWNER];
  const Account *account = &context->accounts[DEACTIVATE_AGENT_DEACTIVATION_RECORD];
  Record *record;
  Seeds seeds;
  TRY(find_record(context, DEACTIVATE_AGENT_DEACTIVATION_RECORD, owner, &record, &seeds));
  if (record == 0) {
    TRY(create_account(&(Creation){owner, account, context->program_id, RECORD_SIZE}, &seeds));
    record = (Record *)account->data;
    record->discriminator = ACCOUNT_DEACTIVATION_RECORD;
    copy_key(&record->owner, owner->key);
    record->bump = seeds.bump;
  }
  record->deactivated_at = context->now;
  record->final_reputation = agent->reputation;
  return 0;
}

static NOINLINE u64 deactivate_agent(Context *context) {
  Config *config;
  Agent agent;
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  TRY(load_running_config(context, DEACTIVATE_AGENT_CONFIG, &config));
  TRY(load_agent_of(context, DEACTIVATE_AGENT_AGENT, &context->accounts[DEACTIVATE_AGENT_OWNER], &agent));
  REQUIRE(agent.status != AGENT_STATUS_DEACTIVATED, ERROR_AGENT_DEACTIVATED);
  // Otherwise an owner could deactivate, close and register the agent again to end the suspension.
  REQUIRE(!agent.suspended_by_admin, ERROR_SUSPENDED_BY_ADMIN);
  TRY(read_clock(context));
  TRY(write_record(context, &agent));
  u8 old_status = agent.status;
  agent.status = AGENT_STATUS_DEACTIVATED;
  agent.updated_at = context->now;
  store_agent(&agent);
  emit_deactivated(context, &agent, old_status);
  return 0;
}
