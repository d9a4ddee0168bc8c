#pragma once
#include "../state/tier.h"

// The stake is the owner's money. So this works while the registry is paused, and for agents of
// any status.
static NOINLINE u64 request_withdrawal(Context *context) {
  const Account *owner = &context->accounts[REQUEST_WITHDRAWAL_OWNER];
  const Account *account = &context->accounts[REQUEST_WITHDRAWAL_STAKE];
  const Account *request = &context->accounts[REQUEST_WITHDRAWAL_WITHDRAWAL];
  u64 amount = read_u64(&context->args);
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  REQUIRE(amount > 0, ERROR_INVALID_AMOUNT);
  Config *config;
  Agent agent;
  Stake *stake;
  Seeds seeds;
  TRY(load_config(context, REQUEST_WITHDRAWAL_CONFIG, &config));
  TRY(load_agent_of(context, REQUEST_WITHDRAWAL_AGENT, owner, &agent));
  TRY(load_stake(context, REQUEST_WITHDRAWAL_STAKE, agent.account, &stake, &seeds));
  WITHDRAWAL_SEEDS(&seeds, account->key);
  TRY(require_canonical(context, request, &seeds));
  REQUIRE(!owned_by(request, context->program_id), ERROR_WITHDRAWAL_PENDING);
  u64 available = stake->deposited;
  TRY(subtract_amount(&available, stake->locked));
  TRY(subtract_amount(&available, stake->pending));
  REQUIRE(amount <= available, ERROR_INSUFFICIENT_STAKE);
  TRY(read_clock(context));

  TRY(create_account(&(Creation){owner, request, context->program_id, WITHDRAWAL_SIZE}, &seeds));
  Withdrawal *withdrawal = (Withdrawal *)request->data;
  withdrawal->discriminator = ACCOUNT_WITHDRAWAL_REQUEST;
  copy_key(&withdrawal->stake, account->key);
  withdrawal->amount = amount;
  withdrawal->requested_at = context->now;
  withdrawal->bump = seeds.bump;
  TRY(add_amount(&stake->pending, amount));
  emit_stake(context, EVENT_WITHDRAWAL_REQUESTED, account, stake, amount);
  refresh_tier(context, config, stake, &agent);
  return 0;
}
