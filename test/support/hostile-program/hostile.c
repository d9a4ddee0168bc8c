// A stranger's program: its instruction data is a script of what to log and what to invoke.
//   D u16 bytes    sol_log_data       T u16 bytes    sol_log_
//   N u16          that many lines of 100 bytes
//   I program, count, count x (account, flags), u16 bytes    invokes; flags 1 signer, 2 writable; accounts by index
//   F              fails
#include "../../../packages/registry-program/program/vm.h"

#define MAX_ACCOUNTS 16
#define SPARE_BYTES 10240
#define NOISE "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

typedef struct {
  VmAccount accounts[MAX_ACCOUNTS];
  u64 count;
  const u8 *at;
  const u8 *end;
} Script;

static u8 *parse_account(u8 *at, Script *script, u64 index) {
  if (at[0] != 0xff) {
    script->accounts[index] = script->accounts[at[0]];
    return at + 8;
  }
  u64 length = *(u64 *)(at + 80);
  script->accounts[index] = (VmAccount){
      (const Pubkey *)(at + 8), (u64 *)(at + 72), length, at + 88, (Pubkey *)(at + 40), 0, at[1], at[2], at[3],
  };
  return (u8 *)(((u64)at + 88 + length + SPARE_BYTES + 7) & ~7ull) + 8;
}

static const u8 *take(Script *script, u64 length) {
  if ((u64)(script->end - script->at) < length) abort();
  script->at += length;
  return script->at - length;
}

static u64 take_u16(Script *script) { return *(const u16 *)take(script, 2); }

static NOINLINE u64 run_invoke(Script *script) {
  VmMeta metas[MAX_ACCOUNTS];
  const Pubkey *program = script->accounts[*take(script, 1)].key;
  u64 count = *take(script, 1);
  for (u64 i = 0; i < count; i++) {
    const VmAccount *account = &script->accounts[*take(script, 1)];
    u8 flags = *take(script, 1);
    metas[i] = (VmMeta){account->key, (flags & 2) != 0, (flags & 1) != 0};
  }
  u64 length = take_u16(script);
  VmInstruction instruction = {program, metas, count, take(script, length), length};
  return sol_invoke_signed_c(&instruction, script->accounts, script->count, 0, 0);
}

static u64 run(Script *script, u8 op) {
  if (op == 'I') return run_invoke(script);
  if (op == 'F') return 1;
  u64 length = take_u16(script);
  if (op == 'N') {
    for (u64 i = 0; i < length; i++) sol_log_(NOISE, sizeof NOISE - 1);
    return 0;
  }
  Slice bytes = {take(script, length), length};
  if (op == 'D') sol_log_data(&bytes, 1);
  else sol_log_((const char *)bytes.address, length);
  return 0;
}

u64 entrypoint(u8 *input) {
  Script script;
  script.count = *(u64 *)input;
  if (script.count > MAX_ACCOUNTS) return 2;
  u8 *at = input + 8;
  for (u64 i = 0; i < script.count; i++) at = parse_account(at, &script, i);
  script.at = at + 8;
  script.end = script.at + *(u64 *)at;
  while (script.at < script.end) TRY(run(&script, *take(&script, 1)));
  return 0;
}
