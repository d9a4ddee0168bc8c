#pragma once
#include "../state/config.h"

static NOINLINE u64 update_config(Context *context) {
  Reader *args = &context->args;
  u64 thresholds[TIER_COUNT];
  i64 cooldown = 0;
  bool paused = 0;
  const Pubkey *admin = read_flag(args) ? read_key(args) : 0;
  const Pubkey *treasury = read_flag(args) ? read_key(args) : 0;
  bool has_thresholds = read_flag(args);
  for (u64 i = 0; has_thresholds && i < TIER_COUNT; i++) thresholds[i] = read_u64(args);
  bool has_cooldown = read_flag(args);
  if (has_cooldown) cooldown = (i64)read_u64(args);
  bool has_paused = read_flag(args);
  if (has_paused) paused = read_flag(args);
  REQUIRE(read_to_end(args), ERROR_INVALID_INSTRUCTION);

  Config *config;
  TRY(load_config_as_admin(context, UPDATE_CONFIG_CONFIG, &context->accounts[UPDATE_CONFIG_ADMIN], &config));
  REQUIRE(admin || treasury || has_thresholds || has_cooldown || has_paused, ERROR_NOTHING_TO_UPDATE);
  if (has_thresholds) TRY(check_thresholds(thresholds));
  if (has_cooldown) TRY(check_cooldown(cooldown));
  if (admin) copy_key(&config->admin, admin);
  if (treasury) copy_key(&config->treasury, treasury);
  for (u64 i = 0; has_thresholds && i < TIER_COUNT; i++) config->tier_thresholds[i] = thresholds[i];
  if (has_cooldown) config->cooldown_seconds = cooldown;
  if (has_paused) config->paused = paused;
  return 0;
}
