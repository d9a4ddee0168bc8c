// The types and syscalls of the Solana VM, as defined by the C ABI of the loader.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed short i16;
typedef signed long long i64;
typedef _Bool bool;

typedef struct {
  u8 bytes[32];
} Pubkey;

typedef struct {
  const void *address;
  u64 length;
} Slice;

typedef struct {
  const Pubkey *program_id;
  const void *metas;
  u64 meta_count;
  const u8 *data;
  u64 data_length;
} VmInstruction;

typedef struct {
  const Pubkey *key;
  bool writable;
  bool signer;
} VmMeta;

typedef struct {
  const Pubkey *key;
  u64 *lamports;
  u64 data_length;
  u8 *data;
  Pubkey *owner;
  u64 rent_epoch;
  bool signer;
  bool writable;
  bool executable;
} VmAccount;

typedef struct {
  u64 slot;
  i64 epoch_start;
  u64 epoch;
  u64 leader_schedule_epoch;
  i64 unix_timestamp;
} ClockSysvar;

typedef struct {
  u64 lamports_per_byte;
  // The bits of an IEEE 754 double, because the VM has no floating point.
  u64 exemption_threshold;
  u8 burn_percent;
} RentSysvar;

extern void abort(void) __attribute__((noreturn));
extern void sol_log_(const char *text, u64 length);
extern void sol_log_data(const Slice *fields, u64 count);
extern void sol_memcpy_(void *to, const void *from, u64 length);
extern void sol_memset_(void *at, u8 value, u64 length);
extern u64 sol_sha256(const Slice *parts, u64 count, u8 *hash);
extern u64 sol_curve_validate_point(u64 curve, const u8 *point, u8 *result);
extern u64 sol_get_clock_sysvar(ClockSysvar *clock);
extern u64 sol_get_rent_sysvar(RentSysvar *rent);
extern u64 sol_try_find_program_address(const Slice *seeds, u64 count, const Pubkey *program, Pubkey *address,
                                        u8 *bump);
extern u64 sol_invoke_signed_c(const VmInstruction *instruction, const VmAccount *accounts, u64 account_count,
                               const Slice *signers, u64 signer_count);

#define REQUIRE(condition, error) \
  do {                            \
    if (!(condition)) return (error); \
  } while (0)

#define TRY(call)               \
  do {                          \
    u64 code_ = (call);         \
    if (code_ != 0) return code_; \
  } while (0)

#define NOINLINE __attribute__((noinline))
