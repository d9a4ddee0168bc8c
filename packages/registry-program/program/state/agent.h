// The agent account. It contains texts of variable length, so it is decoded from a copy and always
// encoded as a whole.
#pragma once
#include "../text.h"
#include "config.h"

#define AGENT_SIZE 421

typedef struct {
  Text name;
  u8 category;
  u64 capabilities;
  Text version;
  Text card_url;
  const Pubkey *card_hash;
} Metadata;

typedef struct {
  const Account *account;
  const Pubkey *owner;
  u8 tier;
  Metadata metadata;
  u8 status;
  u16 reputation;
  i64 created_at;
  i64 updated_at;
  i64 reputation_updated_at;
  u8 bump;
  i16 reputation_change_today;
  i64 reputation_day_start;
  i64 tier_effective_at;
  bool suspended_by_admin;
  const Pubkey *rent_payer;
  // The copy that texts and keys point into. Encoding never reads bytes that it has overwritten.
  u8 image[AGENT_SIZE];
} Agent;

static NOINLINE u64 decode_agent(const Account *account, Agent *agent) {
  sol_memcpy_(agent->image, account->data, AGENT_SIZE);
  Reader reader = {agent->image + 8, AGENT_SIZE - 8, 0};
  agent->account = account;
  agent->owner = read_key(&reader);
  agent->tier = read_u8(&reader);
  agent->metadata.capabilities = read_u64(&reader);
  agent->metadata.name = read_text(&reader);
  agent->metadata.category = read_u8(&reader);
  agent->metadata.version = read_text(&reader);
  agent->metadata.card_url = read_text(&reader);
  agent->metadata.card_hash = read_key(&reader);
  agent->status = read_u8(&reader);
  agent->reputation = read_u16(&reader);
  agent->created_at = (i64)read_u64(&reader);
  agent->updated_at = (i64)read_u64(&reader);
  agent->reputation_updated_at = (i64)read_u64(&reader);
  agent->bump = read_u8(&reader);
  agent->reputation_change_today = (i16)read_u16(&reader);
  agent->reputation_day_start = (i64)read_u64(&reader);
  agent->tier_effective_at = (i64)read_u64(&reader);
  agent->suspended_by_admin = read_flag(&reader);
  agent->rent_payer = read_key(&reader);
  REQUIRE(!reader.failed && agent->tier < TIER_COUNT && agent->status < AGENT_STATUS_COUNT, ERROR_INVALID_ACCOUNT_DATA);
  return 0;
}

static NOINLINE void store_agent(const Agent *agent) {
  Writer writer = {agent->account->data, AGENT_SIZE};
  write_u64(&writer, ACCOUNT_AGENT);
  write_key(&writer, agent->owner);
  write_u8(&writer, agent->tier);
  write_u64(&writer, agent->metadata.capabilities);
  write_text(&writer, agent->metadata.name);
  write_u8(&writer, agent->metadata.category);
  write_text(&writer, agent->metadata.version);
  write_text(&writer, agent->metadata.card_url);
  write_key(&writer, agent->metadata.card_hash);
  write_u8(&writer, agent->status);
  write_u16(&writer, agent->reputation);
  write_u64(&writer, (u64)agent->created_at);
  write_u64(&writer, (u64)agent->updated_at);
  write_u64(&writer, (u64)agent->reputation_updated_at);
  write_u8(&writer, agent->bump);
  write_u16(&writer, (u16)agent->reputation_change_today);
  write_u64(&writer, (u64)agent->reputation_day_start);
  write_u64(&writer, (u64)agent->tier_effective_at);
  write_u8(&writer, agent->suspended_by_admin);
  write_key(&writer, agent->rent_payer);
  sol_memset_(writer.at, 0, writer.remaining);
}

static NOINLINE u64 load_agent(const Context *context, u64 index, Agent *agent) {
  const Account *account = &context->accounts[index];
  Seeds seeds;
  TRY(check_type(account, context->program_id, ACCOUNT_AGENT, AGENT_SIZE));
  TRY(decode_agent(account, agent));
  AGENT_SEEDS(&seeds, agent->owner);
  return require_recorded(context, account, &seeds, agent->bump);
}

static u64 load_agent_of(const Context *context, u64 index, const Account *owner, Agent *agent) {
  TRY(load_agent(context, index, agent));
  REQUIRE(same_key(agent->owner, owner->key), ERROR_NOT_OWNER);
  return 0;
}
