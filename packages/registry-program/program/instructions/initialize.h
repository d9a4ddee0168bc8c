#pragma once
#include "../state/config.h"
#include "../token.h"

#define PROGRAM_DATA_HEADER 45
#define PROGRAM_DATA_VARIANT 3
#define PROGRAM_DATA_HAS_AUTHORITY 12
#define PROGRAM_DATA_AUTHORITY 13

// Without this check, anybody could send `initialize` first after a deployment and become the
// admin.
static u64 check_upgrade_authority(const Context *context, const Account *program_data, const Account *admin) {
  Pubkey address;
  u8 bump;
  Slice seeds = {context->program_id, 32};
  u64 failed = sol_try_find_program_address(&seeds, 1, &UPGRADEABLE_LOADER, &address, &bump);
  REQUIRE(failed == 0 && same_key(&address, program_data->key), ERROR_INVALID_PDA);
  REQUIRE(owned_by(program_data, &UPGRADEABLE_LOADER), ERROR_INVALID_ACCOUNT_OWNER);
  const u8 *data = program_data->data;
  REQUIRE(data_length(program_data) >= PROGRAM_DATA_HEADER, ERROR_INVALID_ACCOUNT_DATA);
  REQUIRE(*(const u32 *)data == PROGRAM_DATA_VARIANT, ERROR_INVALID_ACCOUNT_DATA);
  REQUIRE(data[PROGRAM_DATA_HAS_AUTHORITY] == 1, ERROR_NOT_UPGRADE_AUTHORITY);
  REQUIRE(same_key(data + PROGRAM_DATA_AUTHORITY, admin->key), ERROR_NOT_UPGRADE_AUTHORITY);
  return 0;
}

static NOINLINE u64 initialize(Context *context) {
  const Account *admin = &context->accounts[INITIALIZE_ADMIN];
  const Account *account = &context->accounts[INITIALIZE_CONFIG];
  const Account *mint = &context->accounts[INITIALIZE_USDC_MINT];
  u64 thresholds[TIER_COUNT];
  for (u64 i = 0; i < TIER_COUNT; i++) thresholds[i] = read_u64(&context->args);
  i64 cooldown = (i64)read_u64(&context->args);
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  TRY(check_upgrade_authority(context, &context->accounts[INITIALIZE_PROGRAM_DATA], admin));
  TRY(check_thresholds(thresholds));
  TRY(check_cooldown(cooldown));
  TRY(check_usdc_mint(mint));

  Seeds seeds;
  CONFIG_SEEDS(&seeds);
  TRY(require_canonical(context, account, &seeds));
  TRY(create_account(&(Creation){admin, account, context->program_id, CONFIG_SIZE}, &seeds));
  Config *config = (Config *)account->data;
  config->discriminator = ACCOUNT_REGISTRY_CONFIG;
  copy_key(&config->admin, admin->key);
  copy_key(&config->usdc_mint, mint->key);
  copy_key(&config->treasury, context->accounts[INITIALIZE_TREASURY].key);
  for (u64 i = 0; i < TIER_COUNT; i++) config->tier_thresholds[i] = thresholds[i];
  config->cooldown_seconds = cooldown;
  config->paused = 0;
  config->bump = seeds.bump;
  return 0;
}
