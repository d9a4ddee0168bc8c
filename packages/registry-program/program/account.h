// The accounts of an instruction. They point into the input buffer of the loader.
#pragma once
#include "bytes.h"

typedef struct {
  const Pubkey *key;
  Pubkey *owner;
  u64 *lamports;
  u8 *data;
  bool signer;
  bool writable;
  u8 index;
} Account;

// The word before the data is its length. The VM updates it during cross-program invocations.
static u64 *length_word(const Account *account) { return (u64 *)(account->data - 8); }
static u64 data_length(const Account *account) { return *length_word(account); }

// An error whose log line names the account. The upper half is the position of the account, from 1.
static u64 account_error(const Account *account, u64 error) { return (u64)(account->index + 1) << 32 | error; }

static u64 missing_account(u64 index) { return (index + 1) << 32 | ERROR_NOT_ENOUGH_ACCOUNTS; }

static bool owned_by(const Account *account, const Pubkey *program) { return same_key(account->owner, program); }

static u64 move_lamports(const Account *from, const Account *to, u64 amount) {
  u64 after;
  REQUIRE(*from->lamports >= amount, ERROR_OVERFLOW);
  REQUIRE(!__builtin_add_overflow(*to->lamports, amount, &after), ERROR_OVERFLOW);
  *from->lamports -= amount;
  *to->lamports = after;
  return 0;
}

// Removes the data and the lamports and makes the System program the owner. If the transaction
// sends lamports back to the address, only an empty account exists there.
static u64 close_account(const Account *account, const Account *rent_to) {
  TRY(move_lamports(account, rent_to, *account->lamports));
  sol_memset_(account->data, 0, data_length(account));
  *length_word(account) = 0;
  copy_key(account->owner, &SYSTEM_PROGRAM);
  return 0;
}

// Checks the owner, the type and the length of a registry account. `exact` 0 means any length.
static u64 check_type(const Account *account, const Pubkey *program, u64 discriminator, u64 exact) {
  REQUIRE(owned_by(account, program), account_error(account, ERROR_INVALID_ACCOUNT_OWNER));
  REQUIRE(data_length(account) >= 8 && *(u64 *)account->data == discriminator,
          account_error(account, ERROR_INVALID_DISCRIMINATOR));
  REQUIRE(exact == 0 || data_length(account) == exact, account_error(account, ERROR_INVALID_ACCOUNT_DATA));
  return 0;
}
