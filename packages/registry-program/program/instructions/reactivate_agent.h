#pragma once
#include "suspend_agent.h"

static NOINLINE u64 reactivate_agent(Context *context) {
  Supervision at;
  TRY(load_supervision(context, &at));
  REQUIRE(at.agent.status != AGENT_STATUS_DEACTIVATED, ERROR_AGENT_DEACTIVATED);
  REQUIRE(at.agent.status == AGENT_STATUS_SUSPENDED, ERROR_AGENT_NOT_SUSPENDED);
  REQUIRE(at.by_admin || !at.agent.suspended_by_admin, ERROR_SUSPENDED_BY_ADMIN);
  at.agent.status = AGENT_STATUS_ACTIVE;
  at.agent.suspended_by_admin = 0;
  at.agent.updated_at = context->now;
  store_agent(&at.agent);
  emit_status(context, &at.agent, EVENT_AGENT_REACTIVATED, AGENT_STATUS_SUSPENDED, at.by_admin);
  return 0;
}
