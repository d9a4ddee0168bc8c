#pragma once
#include "../events.h"
#include "../state/metadata.h"
#include "../state/record.h"

#define INITIAL_REPUTATION 250

static NOINLINE u64 register_agent(Context *context) {
  const Account *payer = &context->accounts[REGISTER_AGENT_PAYER];
  const Account *owner = &context->accounts[REGISTER_AGENT_OWNER];
  const Account *account = &context->accounts[REGISTER_AGENT_AGENT];
  Agent agent;
  agent.metadata.name = read_text(&context->args);
  agent.metadata.category = read_u8(&context->args);
  agent.metadata.card_url = read_text(&context->args);
  agent.metadata.card_hash = read_key(&context->args);
  agent.metadata.capabilities = 0;
  agent.metadata.version = (Text){ZEROS, 0};
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  Config *config;
  Record *record;
  Seeds seeds;
  TRY(load_running_config(context, REGISTER_AGENT_CONFIG, &config));
  TRY(check_metadata(&agent.metadata));
  TRY(find_record(context, REGISTER_AGENT_DEACTIVATION_RECORD, owner, &record, &seeds));
  TRY(read_clock(context));

  AGENT_SEEDS(&seeds, owner->key);
  TRY(require_canonical(context, account, &seeds));
  TRY(create_account(&(Creation){payer, account, context->program_id, AGENT_SIZE}, &seeds));
  agent.account = account;
  agent.owner = owner->key;
  agent.tier = TIER_OBSERVER;
  agent.status = AGENT_STATUS_ACTIVE;
  agent.reputation = record != 0 ? record->final_reputation : INITIAL_REPUTATION;
  agent.created_at = agent.updated_at = agent.reputation_updated_at = agent.tier_effective_at = context->now;
  agent.bump = seeds.bump;
  agent.reputation_change_today = 0;
  agent.reputation_day_start = day_start(context->now);
  agent.suspended_by_admin = 0;
  agent.rent_payer = payer->key;
  store_agent(&agent);
  emit_registered(context, &agent);
  return 0;
}
