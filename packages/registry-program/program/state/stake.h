// The stake of an agent in USDC base units, and a request to withdraw a part of it.
#pragma once
#include "../token.h"
#include "agent.h"

#define STAKE_SIZE 129
#define WITHDRAWAL_SIZE 57

typedef struct {
  u64 discriminator;
  Pubkey agent;
  Pubkey owner;
  u64 deposited;
  u64 locked;
  u64 pending;
  u8 bump;
  Pubkey rent_payer;
} Stake;

typedef struct {
  u64 discriminator;
  Pubkey stake;
  u64 amount;
  i64 requested_at;
  u8 bump;
} Withdrawal;

_Static_assert(__builtin_offsetof(Stake, deposited) == 72, "as in the IDL");
_Static_assert(__builtin_offsetof(Stake, rent_payer) == STAKE_SIZE - 32, "as in the IDL");
_Static_assert(__builtin_offsetof(Withdrawal, bump) == WITHDRAWAL_SIZE - 1, "as in the IDL");

// `seeds` can sign for the vault afterwards.
static NOINLINE u64 load_stake(const Context *context, u64 index, const Account *agent, Stake **stake, Seeds *seeds) {
  const Account *account = &context->accounts[index];
  TRY(check_type(account, context->program_id, ACCOUNT_STAKE, STAKE_SIZE));
  *stake = (Stake *)account->data;
  STAKE_SEEDS(seeds, agent->key);
  return require_recorded(context, account, seeds, (*stake)->bump);
}

static NOINLINE u64 load_withdrawal(const Context *context, u64 index, const Account *stake, Withdrawal **withdrawal) {
  const Account *account = &context->accounts[index];
  Seeds seeds;
  TRY(check_type(account, context->program_id, ACCOUNT_WITHDRAWAL_REQUEST, WITHDRAWAL_SIZE));
  *withdrawal = (Withdrawal *)account->data;
  WITHDRAWAL_SEEDS(&seeds, stake->key);
  return require_recorded(context, account, &seeds, (*withdrawal)->bump);
}

static u64 check_vault_address(const Context *context, const Account *vault, const Account *agent, Seeds *seeds) {
  VAULT_SEEDS(seeds, agent->key);
  return require_canonical(context, vault, seeds);
}

static u64 add_amount(u64 *total, u64 amount) {
  REQUIRE(!__builtin_add_overflow(*total, amount, total), ERROR_OVERFLOW);
  return 0;
}

static u64 subtract_amount(u64 *total, u64 amount) {
  REQUIRE(*total >= amount, ERROR_OVERFLOW);
  *total -= amount;
  return 0;
}
