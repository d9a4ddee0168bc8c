#pragma once
#include "../state/tier.h"

static NOINLINE u64 cancel_withdrawal(Context *context) {
  const Account *owner = &context->accounts[CANCEL_WITHDRAWAL_OWNER];
  const Account *account = &context->accounts[CANCEL_WITHDRAWAL_STAKE];
  const Account *request = &context->accounts[CANCEL_WITHDRAWAL_WITHDRAWAL];
  Config *config;
  Agent agent;
  Stake *stake;
  Withdrawal *withdrawal;
  Seeds seeds;
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  TRY(load_config(context, CANCEL_WITHDRAWAL_CONFIG, &config));
  TRY(load_agent_of(context, CANCEL_WITHDRAWAL_AGENT, owner, &agent));
  TRY(load_stake(context, CANCEL_WITHDRAWAL_STAKE, agent.account, &stake, &seeds));
  TRY(load_withdrawal(context, CANCEL_WITHDRAWAL_WITHDRAWAL, account, &withdrawal));
  TRY(read_clock(context));

  u64 amount = withdrawal->amount;
  TRY(subtract_amount(&stake->pending, amount));
  TRY(close_account(request, owner));
  emit_stake(context, EVENT_WITHDRAWAL_CANCELLED, account, stake, amount);
  refresh_tier(context, config, stake, &agent);
  return 0;
}
