// The tier depends on the effective stake: the deposited amount minus the pending withdrawal.
#pragma once
#include "../events.h"

static NOINLINE void refresh_tier(const Context *context, const Config *config, const Stake *stake, Agent *agent) {
  u64 effective = stake->deposited - stake->pending;
  u8 tier = tier_of(config, effective);
  u8 old_tier = agent->tier;
  if (tier == old_tier) return;
  agent->tier = tier;
  agent->tier_effective_at = context->now;
  agent->updated_at = context->now;
  store_agent(agent);
  Event event;
  begin_agent_event(&event, EVENT_TIER_UPDATED, agent);
  write_u8(&event.writer, old_tier);
  write_u8(&event.writer, tier);
  write_u64(&event.writer, effective);
  emit(&event, context);
}
