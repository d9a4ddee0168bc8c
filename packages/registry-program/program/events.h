// Events. They are logged as `Program data:` lines in the layout of the IDL.
#pragma once
#include "state/agent.h"
#include "state/stake.h"

#define MAX_EVENT 704

typedef struct {
  u8 bytes[MAX_EVENT];
  Writer writer;
} Event;

static void begin_event(Event *event, u64 discriminator) {
  event->writer = (Writer){event->bytes, MAX_EVENT};
  write_u64(&event->writer, discriminator);
}

static void begin_agent_event(Event *event, u64 discriminator, const Agent *agent) {
  begin_event(event, discriminator);
  write_key(&event->writer, agent->account->key);
  write_key(&event->writer, agent->owner);
}

// Every event ends with the time.
static void emit(Event *event, i64 now) {
  write_u64(&event->writer, (u64)now);
  sol_log_data(&(Slice){event->bytes, MAX_EVENT - event->writer.remaining}, 1);
}

static NOINLINE void write_metadata(Writer *writer, const Metadata *metadata) {
  write_text(writer, metadata->name);
  write_u8(writer, metadata->category);
  write_u64(writer, metadata->capabilities);
  write_text(writer, metadata->version);
  write_text(writer, metadata->card_url);
  write_key(writer, metadata->card_hash);
}

static NOINLINE void emit_registered(const Agent *agent, i64 now) {
  Event event;
  begin_agent_event(&event, EVENT_AGENT_REGISTERED, agent);
  write_text(&event.writer, agent->metadata.name);
  write_u8(&event.writer, agent->metadata.category);
  write_u8(&event.writer, agent->tier);
  write_u8(&event.writer, agent->status);
  write_u16(&event.writer, agent->reputation);
  write_u64(&event.writer, agent->metadata.capabilities);
  write_text(&event.writer, agent->metadata.version);
  write_text(&event.writer, agent->metadata.card_url);
  write_key(&event.writer, agent->metadata.card_hash);
  write_key(&event.writer, agent->rent_payer);
  emit(&event, now);
}

static NOINLINE void emit_updated(const Agent *agent, const Metadata *old, i64 now) {
  Event event;
  begin_agent_event(&event, EVENT_AGENT_UPDATED, agent);
  write_metadata(&event.writer, old);
  write_metadata(&event.writer, &agent->metadata);
  emit(&event, now);
}

// Emits AgentSuspended or AgentReactivated.
static NOINLINE void emit_status(const Agent *agent, u64 discriminator, u8 old_status, bool by_admin, i64 now) {
  Event event;
  begin_agent_event(&event, discriminator, agent);
  write_u8(&event.writer, old_status);
  write_u8(&event.writer, agent->status);
  write_u8(&event.writer, by_admin);
  emit(&event, now);
}

static NOINLINE void emit_deactivated(const Agent *agent, u8 old_status, i64 now) {
  Event event;
  begin_agent_event(&event, EVENT_AGENT_DEACTIVATED, agent);
  write_u8(&event.writer, old_status);
  write_u8(&event.writer, agent->status);
  write_u16(&event.writer, agent->reputation);
  emit(&event, now);
}

static NOINLINE void emit_closed(const Agent *agent, i64 now) {
  Event event;
  begin_agent_event(&event, EVENT_AGENT_CLOSED, agent);
  emit(&event, now);
}

// `amount` is the amount of the change. The balances are those after the change.
static NOINLINE void emit_stake(u64 discriminator, const Account *account, const Stake *stake, u64 amount, i64 now) {
  Event event;
  begin_event(&event, discriminator);
  write_key(&event.writer, account->key);
  write_key(&event.writer, &stake->agent);
  write_key(&event.writer, &stake->owner);
  write_u64(&event.writer, amount);
  write_u64(&event.writer, stake->deposited);
  write_u64(&event.writer, stake->locked);
  write_u64(&event.writer, stake->pending);
  emit(&event, now);
}
