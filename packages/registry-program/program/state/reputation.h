// The rules by which a report changes the reputation.
#pragma once
#include "../events.h"

#define MAX_REPUTATION 1000
#define MAX_REPORT 50
#define NORMAL_WEIGHT 5
#define MAX_CHANGE_PER_DAY 100

typedef struct {
  const Pubkey *reporter;
  u8 reason;
} Report;

static i64 clamp(i64 value, i64 low, i64 high) { return value < low ? low : value > high ? high : value; }

// Rounds toward zero. It divides the absolute value, because the VM has no signed division.
static i64 weigh(i64 delta, u64 weight) {
  i64 clamped = clamp(delta, -MAX_REPORT, MAX_REPORT);
  u64 magnitude = (u64)(clamped < 0 ? -clamped : clamped) * weight / NORMAL_WEIGHT;
  return clamped < 0 ? -(i64)magnitude : (i64)magnitude;
}

static i64 change_today(const Agent *agent, i64 now) {
  return agent->reputation_day_start == day_start(now) ? agent->reputation_change_today : 0;
}

// The daily limit counts actual changes: a report that reaches 0 or 1000 counts with its effect
// only. A report without effect changes nothing, not even the start of the day.
static NOINLINE void apply_report(const Context *context, Agent *agent, i64 weighed, const Report *report) {
  i64 now = context->now;
  i64 changed = change_today(agent, now);
  i64 allowed = clamp(changed + weighed, -MAX_CHANGE_PER_DAY, MAX_CHANGE_PER_DAY) - changed;
  u16 old_score = agent->reputation;
  i64 score = clamp(old_score + allowed, 0, MAX_REPUTATION);
  i64 applied = score - old_score;
  if (applied == 0) return;
  agent->reputation = (u16)score;
  agent->reputation_change_today = (i16)(changed + applied);
  agent->reputation_day_start = day_start(now);
  agent->reputation_updated_at = now;
  agent->updated_at = now;
  store_agent(agent);
  Event event;
  begin_agent_event(&event, EVENT_REPUTATION_UPDATED, agent);
  write_u16(&event.writer, old_score);
  write_u16(&event.writer, agent->reputation);
  write_u16(&event.writer, (u16)applied);
  write_key(&event.writer, report->reporter);
  write_u8(&event.writer, report->reason);
  emit(&event, context);
}
