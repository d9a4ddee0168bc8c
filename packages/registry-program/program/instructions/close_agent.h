#pragma once
#include "../state/reputation.h"

static NOINLINE u64 close_agent(Context *context) {
  const Account *account = &context->accounts[CLOSE_AGENT_AGENT];
  const Account *stake = &context->accounts[CLOSE_AGENT_STAKE];
  const Account *rent_payer = &context->accounts[CLOSE_AGENT_RENT_PAYER];
  Config *config;
  Agent agent;
  Seeds seeds;
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  TRY(load_running_config(context, CLOSE_AGENT_CONFIG, &config));
  TRY(load_agent_of(context, CLOSE_AGENT_AGENT, &context->accounts[CLOSE_AGENT_OWNER], &agent));
  REQUIRE(agent.status == AGENT_STATUS_DEACTIVATED, ERROR_AGENT_NOT_DEACTIVATED);
  STAKE_SEEDS(&seeds, account->key);
  TRY(require_canonical(context, stake, &seeds));
  // Anybody can send lamports to the address. Only an account of this program is a stake.
  REQUIRE(!owned_by(stake, context->program_id), ERROR_STAKE_EXISTS);
  REQUIRE(same_key(agent.rent_payer, rent_payer->key), ERROR_INVALID_RENT_PAYER);
  TRY(read_clock(context));
  // Otherwise an owner could close and register the agent again to reset the daily limit on
  // reputation.
  REQUIRE(change_today(&agent, context->now) == 0, ERROR_REPUTATION_CHANGED_TODAY);
  TRY(close_account(account, rent_payer));
  emit_closed(context, &agent);
  return 0;
}
