#pragma once
#include "../events.h"

static NOINLINE u64 close_stake(Context *context) {
  const Account *owner = &context->accounts[CLOSE_STAKE_OWNER];
  const Account *account = &context->accounts[CLOSE_STAKE_STAKE];
  const Account *vault = &context->accounts[CLOSE_STAKE_VAULT];
  const Account *to = &context->accounts[CLOSE_STAKE_OWNER_TOKEN];
  const Account *rent_payer = &context->accounts[CLOSE_STAKE_RENT_PAYER];
  Config *config;
  Agent agent;
  Stake *stake;
  Seeds seeds;
  Seeds vault_seeds;
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  TRY(load_running_config(context, CLOSE_STAKE_CONFIG, &config));
  TRY(load_agent_of(context, CLOSE_STAKE_AGENT, owner, &agent));
  REQUIRE(agent.status == AGENT_STATUS_DEACTIVATED, ERROR_AGENT_NOT_DEACTIVATED);
  TRY(load_stake(context, CLOSE_STAKE_STAKE, agent.account, &stake, &seeds));
  REQUIRE(stake->deposited == 0 && stake->locked == 0 && stake->pending == 0, ERROR_STAKE_NOT_EMPTY);
  REQUIRE(same_key(&stake->rent_payer, rent_payer->key), ERROR_INVALID_RENT_PAYER);
  TRY(check_vault_address(context, vault, agent.account, &vault_seeds));
  TRY(check_token_account(vault, &config->usdc_mint, account->key));
  TRY(check_token_account(to, &config->usdc_mint, owner->key));
  TRY(read_clock(context));

  // Anybody can send tokens to the vault. They must not prevent closing it.
  u64 swept = token_balance(vault);
  if (swept > 0) TRY(token_transfer(&(TokenTransfer){vault, 0, to, account, swept}, &seeds));
  // The rent goes through the stake account. The rent payer may be a program by now, and the VM
  // does not update the lamports of program accounts across an invocation.
  TRY(token_close(vault, account, account, &seeds));
  emit_stake(context, EVENT_STAKE_CLOSED, account, stake, swept);
  return close_account(account, rent_payer);
}
