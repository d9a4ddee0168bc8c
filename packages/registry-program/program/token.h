// SPL Token: the USDC mint, token accounts, and the instructions that the vault needs.
#pragma once
#include "system.h"

enum { TOKEN_TRANSFER = 3, TOKEN_CLOSE_ACCOUNT = 9, TOKEN_TRANSFER_CHECKED = 12, TOKEN_INITIALIZE_ACCOUNT_3 = 18 };

#define USDC_DECIMALS 6
#define MINT_SIZE 82
#define MINT_DECIMALS 44
#define MINT_IS_INITIALIZED 45
#define TOKEN_ACCOUNT_SIZE 165
#define TOKEN_ACCOUNT_OWNER 32
#define TOKEN_ACCOUNT_AMOUNT 64
#define TOKEN_ACCOUNT_STATE 108

static u64 check_usdc_mint(const Account *mint) {
  REQUIRE(owned_by(mint, &TOKEN_PROGRAM), ERROR_INVALID_ACCOUNT_OWNER);
  REQUIRE(data_length(mint) == MINT_SIZE && mint->data[MINT_IS_INITIALIZED] == 1, ERROR_INVALID_MINT);
  REQUIRE(mint->data[MINT_DECIMALS] == USDC_DECIMALS, ERROR_INVALID_MINT);
  return 0;
}

static u64 check_token_account(const Account *account, const Pubkey *mint, const Pubkey *owner) {
  REQUIRE(owned_by(account, &TOKEN_PROGRAM), ERROR_INVALID_ACCOUNT_OWNER);
  REQUIRE(data_length(account) == TOKEN_ACCOUNT_SIZE, ERROR_INVALID_TOKEN_ACCOUNT);
  REQUIRE(account->data[TOKEN_ACCOUNT_STATE] != 0, ERROR_INVALID_TOKEN_ACCOUNT);
  REQUIRE(same_key(account->data, mint), ERROR_INVALID_TOKEN_ACCOUNT);
  REQUIRE(same_key(account->data + TOKEN_ACCOUNT_OWNER, owner), ERROR_INVALID_TOKEN_ACCOUNT);
  return 0;
}

static u64 token_balance(const Account *account) { return *(u64 *)(account->data + TOKEN_ACCOUNT_AMOUNT); }

static u64 token_initialize(const Account *account, const Account *mint, const Pubkey *owner) {
  u8 data[33];
  Writer writer = {data, sizeof data};
  write_u8(&writer, TOKEN_INITIALIZE_ACCOUNT_3);
  write_key(&writer, owner);
  CpiAccount accounts[2] = {{account, 1, 0}, {mint, 0, 0}};
  return invoke(&TOKEN_PROGRAM, accounts, 2, &(Slice){data, sizeof data}, 0);
}

typedef struct {
  const Account *from;
  const Account *mint;
  const Account *to;
  const Account *authority;
  u64 amount;
} TokenTransfer;

// Transfers tokens from the account of a wallet, which has signed the transaction.
static u64 token_transfer_checked(const TokenTransfer *transfer) {
  u8 data[10];
  Writer writer = {data, sizeof data};
  write_u8(&writer, TOKEN_TRANSFER_CHECKED);
  write_u64(&writer, transfer->amount);
  write_u8(&writer, USDC_DECIMALS);
  CpiAccount accounts[4] = {
      {transfer->from, 1, 0}, {transfer->mint, 0, 0}, {transfer->to, 1, 0}, {transfer->authority, 0, 1}};
  return invoke(&TOKEN_PROGRAM, accounts, 4, &(Slice){data, sizeof data}, 0);
}

// Transfers tokens from the vault. Its authority is the stake account, which signs with its seeds.
static u64 token_transfer(const TokenTransfer *transfer, Seeds *seeds) {
  u8 data[9];
  Writer writer = {data, sizeof data};
  write_u8(&writer, TOKEN_TRANSFER);
  write_u64(&writer, transfer->amount);
  CpiAccount accounts[3] = {{transfer->from, 1, 0}, {transfer->to, 1, 0}, {transfer->authority, 0, 1}};
  return invoke(&TOKEN_PROGRAM, accounts, 3, &(Slice){data, sizeof data}, seeds);
}

static u64 token_close(const Account *account, const Account *rent_to, const Account *authority, Seeds *seeds) {
  u8 data[1] = {TOKEN_CLOSE_ACCOUNT};
  CpiAccount accounts[3] = {{account, 1, 0}, {rent_to, 1, 0}, {authority, 0, 1}};
  return invoke(&TOKEN_PROGRAM, accounts, 3, &(Slice){data, sizeof data}, seeds);
}
