#pragma once
#include "../events.h"

typedef struct {
  Config *config;
  Agent agent;
  // True if the signer is the admin, even if the admin also owns the agent.
  bool by_admin;
} Supervision;

// The common part of suspend_agent and reactivate_agent, which have the same accounts. The admin
// may use both while the registry is paused.
static NOINLINE u64 load_supervision(Context *context, Supervision *at) {
  const Account *authority = &context->accounts[SUSPEND_AGENT_AUTHORITY];
  REQUIRE(read_to_end(&context->args), ERROR_INVALID_INSTRUCTION);
  TRY(load_config(context, SUSPEND_AGENT_CONFIG, &at->config));
  TRY(load_agent(context, SUSPEND_AGENT_AGENT, &at->agent));
  at->by_admin = is_admin(at->config, authority);
  REQUIRE(at->by_admin || same_key(at->agent.owner, authority->key), ERROR_NOT_AUTHORIZED);
  REQUIRE(at->by_admin || !at->config->paused, ERROR_PAUSED);
  return read_clock(context);
}

static NOINLINE u64 suspend_agent(Context *context) {
  Supervision at;
  TRY(load_supervision(context, &at));
  u8 old_status = at.agent.status;
  // The admin can take over the owner's suspension. Otherwise an owner could reactivate the agent,
  // act and suspend it again in one transaction, and the admin could never suspend it.
  bool takes_over = at.by_admin && old_status == AGENT_STATUS_SUSPENDED && !at.agent.suspended_by_admin;
  REQUIRE(old_status == AGENT_STATUS_ACTIVE || takes_over, ERROR_AGENT_NOT_ACTIVE);
  at.agent.status = AGENT_STATUS_SUSPENDED;
  at.agent.suspended_by_admin = at.by_admin;
  at.agent.updated_at = context->now;
  store_agent(&at.agent);
  emit_status(context, &at.agent, EVENT_AGENT_SUSPENDED, old_status, at.by_admin);
  return 0;
}
