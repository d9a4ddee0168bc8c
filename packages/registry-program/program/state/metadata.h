// The rules for the metadata of an agent.
#pragma once
#include "agent.h"

#define CAPABILITIES_MASK 0x3f

static NOINLINE u64 check_metadata(const Metadata *metadata) {
  REQUIRE(is_clean_text(&metadata->name, 1, MAX_NAME), ERROR_INVALID_NAME);
  REQUIRE(metadata->category < SERVICE_CATEGORY_COUNT, ERROR_INVALID_CATEGORY);
  REQUIRE((metadata->capabilities & ~(u64)CAPABILITIES_MASK) == 0, ERROR_INVALID_CAPABILITIES);
  REQUIRE(is_clean_text(&metadata->version, 0, MAX_VERSION), ERROR_INVALID_VERSION);
  REQUIRE(is_card_url(&metadata->card_url), ERROR_INVALID_CARD_URL);
  REQUIRE(!same_key(metadata->card_hash, ZEROS), ERROR_INVALID_CARD_HASH);
  return 0;
}
