#pragma once
#include "../events.h"
#include "../state/metadata.h"

// Replaces fields of `metadata` by the given ones and counts them in `changes`.
static NOINLINE u64 read_changes(Reader *args, Metadata *metadata, u64 *changes) {
  u64 count = 0;
  if (read_flag(args)) metadata->name = read_text(args), count++;
  if (read_flag(args)) metadata->category = read_u8(args), count++;
  if (read_flag(args)) metadata->capabilities = read_u64(args), count++;
  if (read_flag(args)) metadata->version = read_text(args), count++;
  bool has_url = read_flag(args);
  if (has_url) metadata->card_url = read_text(args), count++;
  bool has_hash = read_flag(args);
  if (has_hash) metadata->card_hash = read_key(args), count++;
  REQUIRE(read_to_end(args), ERROR_INVALID_INSTRUCTION);
  REQUIRE(has_url == has_hash, ERROR_CARD_URL_AND_HASH_TOGETHER);
  *changes = count;
  return 0;
}

static NOINLINE u64 update_agent(Context *context) {
  Config *config;
  Agent agent;
  u64 changes;
  TRY(load_running_config(context, UPDATE_AGENT_CONFIG, &config));
  TRY(load_agent_of(context, UPDATE_AGENT_AGENT, &context->accounts[UPDATE_AGENT_OWNER], &agent));
  Metadata old = agent.metadata;
  TRY(read_changes(&context->args, &agent.metadata, &changes));
  REQUIRE(agent.status == AGENT_STATUS_ACTIVE, ERROR_AGENT_NOT_ACTIVE);
  REQUIRE(changes > 0, ERROR_NOTHING_TO_UPDATE);
  TRY(check_metadata(&agent.metadata));
  TRY(read_clock(context));
  agent.updated_at = context->now;
  store_agent(&agent);
  emit_updated(context, &agent, &old);
  return 0;
}
