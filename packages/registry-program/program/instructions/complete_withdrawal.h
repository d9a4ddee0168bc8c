#pragma once
#include "../events.h"

// The tier does not change: request_withdrawal has already reduced the effective stake.
static NOINLINE u64 complete_withdrawal(Context *context) {
  const Account *owner = &context->accounts[COMPLETE_WITHDRAWAL_OWNER];
  const Account *account = &context->accounts[COMPLETE_WITHDRAWAL_STAKE];
  const Account *request = &context->accounts[COMPLETE_WITHDRAWAL_WITHDRAWAL];
  const Account *vault = &context->accounts[COMPLETE_WITHDRAWAL_VAULT];
  const Account *to = &context->accounts[COMPLETE_WITHDRAWAL_OWNER_TOKEN];
  Config *config;
  Agent agent;
  Stake *stake;
  Withdrawal *withdrawal;
  Seeds seeds;
  Seeds vault_seeds;
  i64 payable_at;
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  TRY(load_config(context, COMPLETE_WITHDRAWAL_CONFIG, &config));
  TRY(load_agent_of(context, COMPLETE_WITHDRAWAL_AGENT, owner, &agent));
  TRY(load_stake(context, COMPLETE_WITHDRAWAL_STAKE, agent.account, &stake, &seeds));
  TRY(load_withdrawal(context, COMPLETE_WITHDRAWAL_WITHDRAWAL, account, &withdrawal));
  TRY(check_vault_address(context, vault, agent.account, &vault_seeds));
  TRY(check_token_account(vault, &config->usdc_mint, account->key));
  TRY(check_token_account(to, &config->usdc_mint, owner->key));
  TRY(read_clock(context));
  REQUIRE(!__builtin_add_overflow(withdrawal->requested_at, config->cooldown_seconds, &payable_at), ERROR_OVERFLOW);
  REQUIRE(context->now >= payable_at, ERROR_COOLDOWN_NOT_OVER);

  u64 amount = withdrawal->amount;
  TRY(subtract_amount(&stake->pending, amount));
  TRY(subtract_amount(&stake->deposited, amount));
  TRY(token_transfer(&(TokenTransfer){vault, 0, to, account, amount}, &seeds));
  TRY(close_account(request, owner));
  emit_stake(context, EVENT_STAKE_WITHDRAWN, account, stake, amount);
  return 0;
}
