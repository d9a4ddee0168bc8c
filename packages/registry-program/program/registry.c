// The registry program. It is one translation unit, because the linker reads only one object.
#include "vm.h"
#include "idl.h"
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
} Expected;

static NOINLINE u64 check_accounts(const Context *context, const Expected *expected) {
  REQUIRE(context->account_count >= expected->count, ERROR_NOT_ENOUGH_ACCOUNTS);
  for (u64 i = 0; i < expected->count; i++) {
    const Account *account = &context->accounts[i];
    REQUIRE(account->signer || !(expected->signers >> i & 1), ERROR_MISSING_SIGNER);
    REQUIRE(account->writable || !(expected->writables >> i & 1), ERROR_NOT_WRITABLE);
  }
  if (expected->system_program >= 0)
    REQUIRE(same_key(context->accounts[expected->system_program].key, &SYSTEM_PROGRAM), ERROR_INVALID_PROGRAM);
  if (expected->token_program >= 0)
    REQUIRE(same_key(context->accounts[expected->token_program].key, &TOKEN_PROGRAM), ERROR_INVALID_PROGRAM);
  return 0;
}

#define DISPATCH(handler, title, discriminator, count, signers, writables, system, token)       \
  if (chosen == discriminator) {                                                                \
    sol_log_(title, sizeof title - 1);                                                          \
    TRY(check_accounts(&context, &(Expected){count, signers, writables, system, token}));       \
    return handler(&context);                                                                   \
  }

u64 entrypoint(u8 *input) {
  Context context;
  parse_input(input, &context);
  u64 chosen = read_u64(&context.args);
  REQUIRE(!context.args.failed, ERROR_INVALID_INSTRUCTION);
  INSTRUCTIONS(DISPATCH)
  return ERROR_INVALID_INSTRUCTION;
}
