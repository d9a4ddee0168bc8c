// Events. The program sends each event to itself as an instruction, as Anchor's `emit_cpi!` does,
// because the runtime never truncates inner instructions. It also logs the event, for clients that
// read logs.
#pragma once
#include "cpi.h"
#include "state/agent.h"
#include "state/stake.h"

#define MAX_EVENT 704
#define EVENT_TAG 0x1d9acb512ea545e4ull
#define EVENT_TAG_SIZE 8
#define CURVE25519_EDWARDS 0

// The tag, the event in the layout of the IDL, and the bump of the event authority.
typedef struct {
  u8 bytes[EVENT_TAG_SIZE + MAX_EVENT + 1];
  Writer writer;
} Event;

// Checks the accounts event_authority and program. Of the addresses for which a program can sign,
// only the canonical one is accepted, since indexers look for it: the hash of each higher bump must
// be a point on the curve. This costs a fifth of sol_try_find_program_address.
static NOINLINE u64 find_event_authority(Context *context, u64 index) {
  const Account *account = &context->accounts[index];
  const Account *program = &context->accounts[index + 1];
  Seeds seeds;
  u8 hash[32];
  REQUIRE(same_key(program->key, context->program_id), account_error(program, ERROR_INVALID_PROGRAM));
  EVENT_AUTHORITY_SEEDS(&seeds);
  for (u64 bump = 255; bump > 0; bump--) {
    seeds.bump = (u8)bump;
    TRY(hash_address(context, &seeds, hash));
    if (same_key(hash, account->key)) {
      context->event_authority = account;
      context->event_bump = seeds.bump;
      return 0;
    }
    if (sol_curve_validate_point(CURVE25519_EDWARDS, hash, 0) != 0) break;
  }
  return account_error(account, ERROR_INVALID_PDA);
}

// The instruction that carries an event. It only checks that this program sent it.
static NOINLINE u64 receive_event(const Context *context) {
  const Account *account = &context->accounts[0];
  const Reader *rest = &context->args;
  Seeds seeds;
  REQUIRE(context->account_count >= 1, missing_account(0));
  REQUIRE(account->signer, account_error(account, ERROR_MISSING_SIGNER));
  REQUIRE(rest->remaining > 0, ERROR_INVALID_INSTRUCTION);
  EVENT_AUTHORITY_SEEDS(&seeds);
  return require_recorded(context, account, &seeds, rest->at[rest->remaining - 1]);
}

static void begin_event(Event *event, u64 discriminator) {
  event->writer = (Writer){event->bytes, sizeof event->bytes};
  write_u64(&event->writer, EVENT_TAG);
  write_u64(&event->writer, discriminator);
}

static void begin_agent_event(Event *event, u64 discriminator, const Agent *agent) {
  begin_event(event, discriminator);
  write_key(&event->writer, agent->account->key);
  write_key(&event->writer, agent->owner);
}

// Every event ends with the time. If the invocation fails, the runtime ends the transaction.
static NOINLINE void emit(Event *event, const Context *context) {
  Seeds seeds;
  write_u64(&event->writer, (u64)context->now);
  u64 length = (u64)(event->writer.at - event->bytes);
  sol_log_data(&(Slice){event->bytes + EVENT_TAG_SIZE, length - EVENT_TAG_SIZE}, 1);
  write_u8(&event->writer, context->event_bump);
  EVENT_AUTHORITY_SEEDS(&seeds);
  seeds.bump = context->event_bump;
  CpiAccount authority = {context->event_authority, 0, 1};
  if (invoke(context->program_id, &authority, 1, &(Slice){event->bytes, length + 1}, &seeds) != 0) abort();
}

static NOINLINE void write_metadata(Writer *writer, const Metadata *metadata) {
  write_text(writer, metadata->name);
  write_u8(writer, metadata->category);
  write_u64(writer, metadata->capabilities);
  write_text(writer, metadata->version);
  write_text(writer, metadata->card_url);
  write_key(writer, metadata->card_hash);
}

static NOINLINE void emit_registered(const Context *context, const Agent *agent) {
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
  emit(&event, context);
}

static NOINLINE void emit_updated(const Context *context, const Agent *agent, const Metadata *old) {
  Event event;
  begin_agent_event(&event, EVENT_AGENT_UPDATED, agent);
  write_metadata(&event.writer, old);
  write_metadata(&event.writer, &agent->metadata);
  emit(&event, context);
}

// Emits AgentSuspended or AgentReactivated.
static NOINLINE void emit_status(const Context *context, const Agent *agent, u64 discriminator, u8 old_status,
                                 bool by_admin) {
  Event event;
  begin_agent_event(&event, discriminator, agent);
  write_u8(&event.writer, old_status);
  write_u8(&event.writer, agent->status);
  write_u8(&event.writer, by_admin);
  emit(&event, context);
}

static NOINLINE void emit_deactivated(const Context *context, const Agent *agent, u8 old_status) {
  Event event;
  begin_agent_event(&event, EVENT_AGENT_DEACTIVATED, agent);
  write_u8(&event.writer, old_status);
  write_u8(&event.writer, agent->status);
  write_u16(&event.writer, agent->reputation);
  emit(&event, context);
}

static NOINLINE void emit_closed(const Context *context, const Agent *agent) {
  Event event;
  begin_agent_event(&event, EVENT_AGENT_CLOSED, agent);
  emit(&event, context);
}

// `amount` is the amount of the change. The balances are those after the change.
static NOINLINE void emit_stake(const Context *context, u64 discriminator, const Account *account,
                                const Stake *stake, u64 amount) {
  Event event;
  begin_event(&event, discriminator);
  write_key(&event.writer, account->key);
  write_key(&event.writer, &stake->agent);
  write_key(&event.writer, &stake->owner);
  write_u64(&event.writer, amount);
  write_u64(&event.writer, stake->deposited);
  write_u64(&event.writer, stake->locked);
  write_u64(&event.writer, stake->pending);
  emit(&event, context);
}
