// The registry program. It is one translation unit, because the linker reads only one object.
#include "vm.h"
#include "idl.h"
#include "errors.h"
#include "instructions/cancel_withdrawal.h"
#include "instructions/close_agent.h"
#include "instructions/close_deactivation_record.h"
#include "instructions/close_stake.h"
#include "instructions/complete_withdrawal.h"
#include "instructions/deactivate_agent.h"
#include "instructions/deposit.h"
#include "instructions/initialize.h"
#include "instructions/reactivate_agent.h"
#include "instructions/register_agent.h"
#include "instructions/register_reporter.h"
#include "instructions/report_behavior.h"
#include "instructions/request_withdrawal.h"
#include "instructions/set_reporter_active.h"
#include "instructions/suspend_agent.h"
#include "instructions/update_agent.h"
#include "instructions/update_config.h"

typedef struct {
  u64 count;
  u64 signers;
  u64 writables;
  i64 system_program;
  i64 token_program;
  i64 event_authority;
} Expected;

static u64 check_program(const Context *context, i64 index, const Pubkey *program) {
  if (index < 0) return 0;
  const Account *account = &context->accounts[index];
  REQUIRE(same_key(account->key, program), account_error(account, ERROR_INVALID_PROGRAM));
  return 0;
}

static NOINLINE u64 check_accounts(Context *context, const Expected *expected) {
  REQUIRE(context->account_count >= expected->count, missing_account(context->account_count));
  for (u64 i = 0; i < expected->count; i++) {
    const Account *account = &context->accounts[i];
    REQUIRE(account->signer || !(expected->signers >> i & 1), account_error(account, ERROR_MISSING_SIGNER));
    REQUIRE(account->writable || !(expected->writables >> i & 1), account_error(account, ERROR_NOT_WRITABLE));
  }
  TRY(check_program(context, expected->system_program, &SYSTEM_PROGRAM));
  TRY(check_program(context, expected->token_program, &TOKEN_PROGRAM));
  if (expected->event_authority >= 0) TRY(find_event_authority(context, (u64)expected->event_authority));
  return 0;
}

#define DISPATCH(handler, title, names, discriminator, ...)                            \
  if (chosen == discriminator) {                                                       \
    sol_log_(title, sizeof title - 1);                                                 \
    u64 failure = check_accounts(&context, &(Expected){__VA_ARGS__});                  \
    if (failure == 0) failure = handler(&context);                                     \
    return failure == 0 ? 0 : report_error(failure, names);                            \
  }

u64 entrypoint(u8 *input) {
  Context context;
  parse_input(input, &context);
  u64 chosen = read_u64(&context.args);
  if (context.args.failed) return report_error(ERROR_INVALID_INSTRUCTION, "");
  if (chosen == EVENT_TAG) {
    u64 failure = receive_event(&context);
    return failure == 0 ? 0 : report_error(failure, "event_authority");
  }
  INSTRUCTIONS(DISPATCH)
  return report_error(ERROR_INVALID_INSTRUCTION, "");
}
