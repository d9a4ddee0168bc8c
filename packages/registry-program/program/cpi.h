// Cross-program invocations.
#pragma once
#include "pda.h"

#define CPI_MAX_ACCOUNTS 4

typedef struct {
  const Account *account;
  bool writable;
  bool signer;
} CpiAccount;

// `seeds` signs for a program-derived address. It is 0 if all signers have signed the transaction.
static NOINLINE u64 invoke(const Pubkey *program, const CpiAccount *accounts, u64 count, const Slice *data,
                           Seeds *seeds) {
  VmMeta metas[CPI_MAX_ACCOUNTS];
  VmAccount infos[CPI_MAX_ACCOUNTS];
  for (u64 i = 0; i < count; i++) {
    const Account *account = accounts[i].account;
    metas[i] = (VmMeta){account->key, accounts[i].writable, accounts[i].signer};
    infos[i] = (VmAccount){
        account->key,   account->lamports, data_length(account), account->data, account->owner, 0,
        account->signer, account->writable, 0,
    };
  }
  VmInstruction instruction = {program, metas, count, data->address, data->length};
  Slice signer;
  if (seeds != 0) signer = signer_seeds(seeds);
  return sol_invoke_signed_c(&instruction, infos, count, &signer, seeds != 0 ? 1 : 0);
}
