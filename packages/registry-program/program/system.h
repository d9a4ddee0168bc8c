// The System program: creates accounts at program-derived addresses and pays their rent.
#pragma once
#include "cpi.h"

enum { SYSTEM_CREATE_ACCOUNT = 0, SYSTEM_ASSIGN = 1, SYSTEM_TRANSFER = 2, SYSTEM_ALLOCATE = 8 };

#define ACCOUNT_OVERHEAD 128
#define F64_EXPONENT_BIAS 1023
#define F64_MANTISSA_BITS 52

// The threshold is 2.0 on current clusters, and 1.0 on clusters whose rate includes it.
static u64 rent_minimum(u64 size, u64 *lamports) {
  RentSysvar rent;
  TRY(sol_get_rent_sysvar(&rent));
  u64 doublings = (rent.exemption_threshold >> F64_MANTISSA_BITS) - F64_EXPONENT_BIAS;
  bool power_of_two = (rent.exemption_threshold & ((1ull << F64_MANTISSA_BITS) - 1)) == 0;
  REQUIRE(power_of_two && doublings < 8 && rent.lamports_per_byte < 1ull << 32, ERROR_OVERFLOW);
  *lamports = ((ACCOUNT_OVERHEAD + size) * rent.lamports_per_byte) << doublings;
  return 0;
}

static u64 system_transfer(const Account *from, const Account *to, u64 lamports) {
  u8 data[12];
  Writer writer = {data, sizeof data};
  write_u32(&writer, SYSTEM_TRANSFER);
  write_u64(&writer, lamports);
  CpiAccount accounts[2] = {{from, 1, 1}, {to, 1, 0}};
  return invoke(&SYSTEM_PROGRAM, accounts, 2, &(Slice){data, sizeof data}, 0);
}

static u64 system_allocate(const Account *account, u64 size, Seeds *seeds) {
  u8 data[12];
  Writer writer = {data, sizeof data};
  write_u32(&writer, SYSTEM_ALLOCATE);
  write_u64(&writer, size);
  return invoke(&SYSTEM_PROGRAM, &(CpiAccount){account, 1, 1}, 1, &(Slice){data, sizeof data}, seeds);
}

static u64 system_assign(const Account *account, const Pubkey *program, Seeds *seeds) {
  u8 data[36];
  Writer writer = {data, sizeof data};
  write_u32(&writer, SYSTEM_ASSIGN);
  write_key(&writer, program);
  return invoke(&SYSTEM_PROGRAM, &(CpiAccount){account, 1, 1}, 1, &(Slice){data, sizeof data}, seeds);
}

typedef struct {
  const Account *payer;
  const Account *account;
  const Pubkey *program;
  u64 size;
} Creation;

static u64 system_create(const Creation *new, u64 lamports, Seeds *seeds) {
  u8 data[52];
  Writer writer = {data, sizeof data};
  write_u32(&writer, SYSTEM_CREATE_ACCOUNT);
  write_u64(&writer, lamports);
  write_u64(&writer, new->size);
  write_key(&writer, new->program);
  CpiAccount accounts[2] = {{new->payer, 1, 1}, {new->account, 1, 1}};
  return invoke(&SYSTEM_PROGRAM, accounts, 2, &(Slice){data, sizeof data}, seeds);
}

static bool is_unused(const Account *account) {
  return owned_by(account, &SYSTEM_PROGRAM) && data_length(account) == 0;
}

// Anybody can send lamports to the address before the account exists, and CreateAccount refuses
// such an address. In this case the payer adds the missing lamports, and the address allocates and
// assigns itself.
static NOINLINE u64 create_account(const Creation *new, Seeds *seeds) {
  u64 required;
  REQUIRE(is_unused(new->account), ERROR_ALREADY_INITIALIZED);
  TRY(rent_minimum(new->size, &required));
  u64 present = *new->account->lamports;
  if (present == 0) return system_create(new, required, seeds);
  if (present < required) TRY(system_transfer(new->payer, new->account, required - present));
  TRY(system_allocate(new->account, new->size, seeds));
  return system_assign(new->account, new->program, seeds);
}
