// The settings of the registry.
#pragma once
#include "../pda.h"

#define CONFIG_SIZE 146
#define MIN_COOLDOWN (1ll * DAY)
#define MAX_COOLDOWN (90ll * DAY)

// Maps the data of the account. Every field has its natural alignment, so the layout is that of the
// IDL.
typedef struct {
  u64 discriminator;
  Pubkey admin;
  Pubkey usdc_mint;
  Pubkey treasury;
  u64 tier_thresholds[TIER_COUNT];
  i64 cooldown_seconds;
  u8 paused;
  u8 bump;
} Config;

_Static_assert(__builtin_offsetof(Config, tier_thresholds) == 104, "as in the IDL");
_Static_assert(__builtin_offsetof(Config, bump) == CONFIG_SIZE - 1, "as in the IDL");

static NOINLINE u64 load_config(const Context *context, u64 index, Config **config) {
  const Account *account = &context->accounts[index];
  Seeds seeds;
  TRY(check_type(account, context->program_id, ACCOUNT_REGISTRY_CONFIG, CONFIG_SIZE));
  *config = (Config *)account->data;
  CONFIG_SEEDS(&seeds);
  return require_recorded(context, account, &seeds, (*config)->bump);
}

static u64 load_running_config(const Context *context, u64 index, Config **config) {
  TRY(load_config(context, index, config));
  REQUIRE(!(*config)->paused, ERROR_PAUSED);
  return 0;
}

static bool is_admin(const Config *config, const Account *signer) { return same_key(&config->admin, signer->key); }

static u64 load_config_as_admin(const Context *context, u64 index, const Account *signer, Config **config) {
  TRY(load_config(context, index, config));
  REQUIRE(is_admin(*config, signer), ERROR_NOT_ADMIN);
  return 0;
}

static u64 check_thresholds(const u64 *thresholds) {
  REQUIRE(thresholds[0] == 0, ERROR_INVALID_THRESHOLDS);
  for (u64 i = 1; i < TIER_COUNT; i++) REQUIRE(thresholds[i - 1] < thresholds[i], ERROR_INVALID_THRESHOLDS);
  return 0;
}

static u64 check_cooldown(i64 seconds) {
  REQUIRE(seconds >= MIN_COOLDOWN && seconds <= MAX_COOLDOWN, ERROR_INVALID_COOLDOWN);
  return 0;
}

static u8 tier_of(const Config *config, u64 effective_stake) {
  u8 tier = TIER_OBSERVER;
  for (u8 i = 1; i < TIER_COUNT; i++)
    if (config->tier_thresholds[i] <= effective_stake) tier = i;
  return tier;
}
