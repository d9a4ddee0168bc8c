// Program-derived addresses: ["prefix", key?] with the canonical bump.
#pragma once
#include "context.h"

typedef struct {
  Slice parts[3];
  u64 count;
  u8 bump;
} Seeds;

static void set_seeds(Seeds *seeds, const char *prefix, u64 prefix_length, const Pubkey *key) {
  seeds->count = 0;
  seeds->parts[seeds->count++] = (Slice){prefix, prefix_length};
  if (key != 0) seeds->parts[seeds->count++] = (Slice){key, 32};
}

#define CONFIG_SEEDS(seeds) set_seeds(seeds, "config", 6, 0)
#define AGENT_SEEDS(seeds, owner) set_seeds(seeds, "agent", 5, owner)
#define STAKE_SEEDS(seeds, agent) set_seeds(seeds, "stake", 5, agent)
#define VAULT_SEEDS(seeds, agent) set_seeds(seeds, "vault", 5, agent)
#define WITHDRAWAL_SEEDS(seeds, stake) set_seeds(seeds, "withdrawal", 10, stake)
#define REPORTER_SEEDS(seeds, authority) set_seeds(seeds, "reporter", 8, authority)
#define RECORD_SEEDS(seeds, owner) set_seeds(seeds, "deactivated", 11, owner)
#define EVENT_AUTHORITY_SEEDS(seeds) set_seeds(seeds, "__event_authority", 17, 0)

// The seeds with which the address signs cross-program invocations.
static Slice signer_seeds(Seeds *seeds) {
  seeds->parts[seeds->count] = (Slice){&seeds->bump, 1};
  return (Slice){seeds->parts, seeds->count + 1};
}

// Finds the canonical bump and checks the address of the account.
static NOINLINE u64 require_canonical(const Context *context, const Account *account, Seeds *seeds) {
  Pubkey address;
  u64 failed = sol_try_find_program_address(seeds->parts, seeds->count, context->program_id, &address, &seeds->bump);
  REQUIRE(failed == 0 && same_key(&address, account->key), account_error(account, ERROR_INVALID_PDA));
  return 0;
}

static NOINLINE u64 hash_address(const Context *context, const Seeds *seeds, u8 *hash) {
  Slice parts[5];
  u64 count = 0;
  for (; count < seeds->count; count++) parts[count] = seeds->parts[count];
  parts[count++] = (Slice){&seeds->bump, 1};
  parts[count++] = (Slice){context->program_id, 32};
  parts[count++] = (Slice){"ProgramDerivedAddress", 21};
  return sol_sha256(parts, count, hash);
}

// Checks the address with the bump that the account contains: one hash instead of a search.
static NOINLINE u64 require_recorded(const Context *context, const Account *account, Seeds *seeds, u8 bump) {
  u8 hash[32];
  seeds->bump = bump;
  TRY(hash_address(context, seeds, hash));
  REQUIRE(same_key(hash, account->key), account_error(account, ERROR_INVALID_PDA));
  return 0;
}
