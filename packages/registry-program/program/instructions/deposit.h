#pragma once
#include "../state/tier.h"

// Creates the stake and the vault at the first deposit. Only the stake account can move the tokens.
static NOINLINE u64 open_stake(Context *context, const Agent *agent, Seeds *vault_seeds) {
  const Account *payer = &context->accounts[DEPOSIT_PAYER];
  const Account *account = &context->accounts[DEPOSIT_STAKE];
  const Account *vault = &context->accounts[DEPOSIT_VAULT];
  Seeds seeds;
  STAKE_SEEDS(&seeds, agent->account->key);
  TRY(require_canonical(context, account, &seeds));
  TRY(create_account(&(Creation){payer, account, context->program_id, STAKE_SIZE}, &seeds));
  TRY(create_account(&(Creation){payer, vault, &TOKEN_PROGRAM, TOKEN_ACCOUNT_SIZE}, vault_seeds));
  TRY(token_initialize(vault, &context->accounts[DEPOSIT_USDC_MINT], account->key));
  Stake *stake = (Stake *)account->data;
  stake->discriminator = ACCOUNT_STAKE;
  copy_key(&stake->agent, agent->account->key);
  copy_key(&stake->owner, agent->owner);
  stake->bump = seeds.bump;
  copy_key(&stake->rent_payer, payer->key);
  return 0;
}

static NOINLINE u64 deposit(Context *context) {
  const Account *owner = &context->accounts[DEPOSIT_OWNER];
  const Account *account = &context->accounts[DEPOSIT_STAKE];
  const Account *vault = &context->accounts[DEPOSIT_VAULT];
  const Account *from = &context->accounts[DEPOSIT_OWNER_TOKEN];
  const Account *mint = &context->accounts[DEPOSIT_USDC_MINT];
  u64 amount = read_u64(&context->args);
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  REQUIRE(amount > 0, ERROR_INVALID_AMOUNT);
  Config *config;
  Agent agent;
  Stake *stake;
  Seeds seeds;
  TRY(load_running_config(context, DEPOSIT_CONFIG, &config));
  TRY(load_agent_of(context, DEPOSIT_AGENT, owner, &agent));
  REQUIRE(agent.status == AGENT_STATUS_ACTIVE, ERROR_AGENT_NOT_ACTIVE);
  REQUIRE(same_key(&config->usdc_mint, mint->key), ERROR_INVALID_MINT);
  TRY(check_token_account(from, mint->key, owner->key));
  TRY(check_vault_address(context, vault, agent.account, &seeds));
  if (is_unused(account)) TRY(open_stake(context, &agent, &seeds));
  TRY(load_stake(context, DEPOSIT_STAKE, agent.account, &stake, &seeds));
  TRY(check_token_account(vault, mint->key, account->key));
  TRY(read_clock(context));

  TRY(add_amount(&stake->deposited, amount));
  TRY(token_transfer_checked(&(TokenTransfer){from, mint, vault, owner, amount}));
  emit_stake(context, EVENT_STAKE_DEPOSITED, account, stake, amount);
  refresh_tier(context, config, stake, &agent);
  return 0;
}
