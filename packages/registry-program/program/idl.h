// Generated from idl.json; `npm run program:build` rewrites it.
#pragma once
static const Pubkey SYSTEM_PROGRAM = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
static const Pubkey TOKEN_PROGRAM = {{6, 221, 246, 225, 215, 101, 161, 147, 217, 203, 225, 70, 206, 235, 121, 172, 28, 180, 133, 237, 95, 91, 55, 145, 58, 140, 245, 133, 126, 255, 0, 169}};
static const Pubkey UPGRADEABLE_LOADER = {{2, 168, 246, 145, 78, 136, 161, 176, 226, 16, 21, 62, 247, 99, 174, 43, 0, 194, 185, 61, 22, 193, 36, 210, 192, 83, 122, 16, 4, 128, 0, 0}};
enum {
  ERROR_INVALID_INSTRUCTION = 6000,
  ERROR_NOT_ENOUGH_ACCOUNTS = 6001,
  ERROR_MISSING_SIGNER = 6002,
  ERROR_NOT_WRITABLE = 6003,
  ERROR_INVALID_PDA = 6004,
  ERROR_INVALID_ACCOUNT_OWNER = 6005,
  ERROR_INVALID_DISCRIMINATOR = 6006,
  ERROR_INVALID_PROGRAM = 6007,
  ERROR_INVALID_ACCOUNT_DATA = 6008,
  ERROR_ALREADY_INITIALIZED = 6009,
  ERROR_NOT_UPGRADE_AUTHORITY = 6010,
  ERROR_NOT_ADMIN = 6011,
  ERROR_NOT_OWNER = 6012,
  ERROR_NOT_AUTHORIZED = 6013,
  ERROR_PAUSED = 6014,
  ERROR_OVERFLOW = 6015,
  ERROR_INVALID_THRESHOLDS = 6016,
  ERROR_INVALID_COOLDOWN = 6017,
  ERROR_INVALID_NAME = 6018,
  ERROR_INVALID_VERSION = 6019,
  ERROR_INVALID_CARD_URL = 6020,
  ERROR_INVALID_CARD_HASH = 6021,
  ERROR_CARD_URL_AND_HASH_TOGETHER = 6022,
  ERROR_INVALID_CATEGORY = 6023,
  ERROR_INVALID_CAPABILITIES = 6024,
  ERROR_NOTHING_TO_UPDATE = 6025,
  ERROR_AGENT_NOT_ACTIVE = 6026,
  ERROR_AGENT_NOT_SUSPENDED = 6027,
  ERROR_AGENT_DEACTIVATED = 6028,
  ERROR_AGENT_NOT_DEACTIVATED = 6029,
  ERROR_SUSPENDED_BY_ADMIN = 6030,
  ERROR_STAKE_EXISTS = 6031,
  ERROR_STAKE_NOT_EMPTY = 6032,
  ERROR_INVALID_AMOUNT = 6033,
  ERROR_INSUFFICIENT_STAKE = 6034,
  ERROR_WITHDRAWAL_PENDING = 6035,
  ERROR_COOLDOWN_NOT_OVER = 6036,
  ERROR_RECORD_TOO_YOUNG = 6037,
  ERROR_INVALID_MINT = 6038,
  ERROR_INVALID_TOKEN_ACCOUNT = 6039,
  ERROR_INVALID_RENT_PAYER = 6040,
  ERROR_INVALID_WEIGHT = 6041,
  ERROR_INVALID_LABEL = 6042,
  ERROR_REPORTER_INACTIVE = 6043,
  ERROR_ZERO_DELTA = 6044,
  ERROR_REPUTATION_CHANGED_TODAY = 6045,
};
// code, text
#define ERRORS(X) \
  X(6000, "InvalidInstruction. Error Number: 6000. Error Message: The instruction data is unknown, truncated or has trailing bytes.") \
  X(6001, "NotEnoughAccounts. Error Number: 6001. Error Message: The instruction needs more accounts.") \
  X(6002, "MissingSigner. Error Number: 6002. Error Message: A required signature is missing.") \
  X(6003, "NotWritable. Error Number: 6003. Error Message: An account must be writable.") \
  X(6004, "InvalidPda. Error Number: 6004. Error Message: An account is not the expected program-derived address.") \
  X(6005, "InvalidAccountOwner. Error Number: 6005. Error Message: An account is not owned by the expected program.") \
  X(6006, "InvalidDiscriminator. Error Number: 6006. Error Message: An account is not of the expected type.") \
  X(6007, "InvalidProgram. Error Number: 6007. Error Message: A program account is not the expected program.") \
  X(6008, "InvalidAccountData. Error Number: 6008. Error Message: An account's data is malformed.") \
  X(6009, "AlreadyInitialized. Error Number: 6009. Error Message: The account exists already.") \
  X(6010, "NotUpgradeAuthority. Error Number: 6010. Error Message: Only the program's upgrade authority may initialise the registry.") \
  X(6011, "NotAdmin. Error Number: 6011. Error Message: Only the registry admin may do this.") \
  X(6012, "NotOwner. Error Number: 6012. Error Message: Only the owner of the agent may do this.") \
  X(6013, "NotAuthorized. Error Number: 6013. Error Message: The signer is neither the owner nor the admin.") \
  X(6014, "Paused. Error Number: 6014. Error Message: The registry is paused.") \
  X(6015, "Overflow. Error Number: 6015. Error Message: Arithmetic overflow.") \
  X(6016, "InvalidThresholds. Error Number: 6016. Error Message: Tier thresholds must start at 0 and rise strictly.") \
  X(6017, "InvalidCooldown. Error Number: 6017. Error Message: The cooldown must be 1 to 90 days.") \
  X(6018, "InvalidName. Error Number: 6018. Error Message: The name must be 1 to 32 bytes of UTF-8 without control characters.") \
  X(6019, "InvalidVersion. Error Number: 6019. Error Message: The version must be 0 to 16 bytes of UTF-8 without control characters.") \
  X(6020, "InvalidCardUrl. Error Number: 6020. Error Message: The card URL must be 1 to 200 bytes with scheme https, ipfs, ar or did.") \
  X(6021, "InvalidCardHash. Error Number: 6021. Error Message: The card hash must not be all zero.") \
  X(6022, "CardUrlAndHashTogether. Error Number: 6022. Error Message: The card URL and its hash can only be changed together.") \
  X(6023, "InvalidCategory. Error Number: 6023. Error Message: Unknown service category.") \
  X(6024, "InvalidCapabilities. Error Number: 6024. Error Message: Capabilities must fit in 6 bits.") \
  X(6025, "NothingToUpdate. Error Number: 6025. Error Message: At least one field must be given.") \
  X(6026, "AgentNotActive. Error Number: 6026. Error Message: The agent is not active.") \
  X(6027, "AgentNotSuspended. Error Number: 6027. Error Message: The agent is not suspended.") \
  X(6028, "AgentDeactivated. Error Number: 6028. Error Message: The agent is deactivated.") \
  X(6029, "AgentNotDeactivated. Error Number: 6029. Error Message: The agent is not deactivated.") \
  X(6030, "SuspendedByAdmin. Error Number: 6030. Error Message: Only the admin may end a suspension made by the admin.") \
  X(6031, "StakeExists. Error Number: 6031. Error Message: The agent still has a stake account.") \
  X(6032, "StakeNotEmpty. Error Number: 6032. Error Message: The stake is not empty.") \
  X(6033, "InvalidAmount. Error Number: 6033. Error Message: The amount must be more than 0.") \
  X(6034, "InsufficientStake. Error Number: 6034. Error Message: The amount is more than can be withdrawn.") \
  X(6035, "WithdrawalPending. Error Number: 6035. Error Message: A withdrawal is already pending.") \
  X(6036, "CooldownNotOver. Error Number: 6036. Error Message: The cooldown is not over.") \
  X(6037, "RecordTooYoung. Error Number: 6037. Error Message: The deactivation record can be closed after 30 days.") \
  X(6038, "InvalidMint. Error Number: 6038. Error Message: The mint is not the registry's USDC mint.") \
  X(6039, "InvalidTokenAccount. Error Number: 6039. Error Message: The token account has the wrong mint or owner.") \
  X(6040, "InvalidRentPayer. Error Number: 6040. Error Message: The account is not the recorded rent payer.") \
  X(6041, "InvalidWeight. Error Number: 6041. Error Message: The weight must be 5 to 10.") \
  X(6042, "InvalidLabel. Error Number: 6042. Error Message: The label must be 1 to 32 bytes of UTF-8 without control characters.") \
  X(6043, "ReporterInactive. Error Number: 6043. Error Message: The reporter is not active.") \
  X(6044, "ZeroDelta. Error Number: 6044. Error Message: The delta must not be 0.") \
  X(6045, "ReputationChangedToday. Error Number: 6045. Error Message: The reputation changed today. Close the agent after midnight UTC.")
#define MAX_ERROR_LINE 188
enum {
  TIER_OBSERVER,
  TIER_BASIC,
  TIER_STANDARD,
  TIER_PREMIUM,
  TIER_COUNT,
};
enum {
  AGENT_STATUS_ACTIVE,
  AGENT_STATUS_SUSPENDED,
  AGENT_STATUS_DEACTIVATED,
  AGENT_STATUS_COUNT,
};
enum {
  SERVICE_CATEGORY_COMMERCE,
  SERVICE_CATEGORY_DATA_ANALYSIS,
  SERVICE_CATEGORY_CONTENT_CREATION,
  SERVICE_CATEGORY_CUSTOMER_SERVICE,
  SERVICE_CATEGORY_FINANCIAL,
  SERVICE_CATEGORY_LOGISTICS,
  SERVICE_CATEGORY_DEVELOPMENT,
  SERVICE_CATEGORY_RESEARCH,
  SERVICE_CATEGORY_OTHER,
  SERVICE_CATEGORY_COUNT,
};
#define ACCOUNT_REGISTRY_CONFIG 0x9cf3e7adf60a7617ull
#define ACCOUNT_AGENT 0x0756c59b9370a62full
#define ACCOUNT_STAKE 0x957084371db0c596ull
#define ACCOUNT_WITHDRAWAL_REQUEST 0xc1e53eb6ad9358f2ull
#define ACCOUNT_REPUTATION_REPORTER 0x6eb4528ab2b99e51ull
#define ACCOUNT_DEACTIVATION_RECORD 0xdf34f7b0ee2154d7ull
#define EVENT_AGENT_REGISTERED 0x55bd64e836d94ebfull
#define EVENT_AGENT_UPDATED 0xa6d2fa7bfaa2b3d2ull
#define EVENT_REPUTATION_UPDATED 0x596a5aeb96bb241aull
#define EVENT_TIER_UPDATED 0xc4587319e2dfe7f5ull
#define EVENT_AGENT_SUSPENDED 0x94a4dc7403b1cadbull
#define EVENT_AGENT_REACTIVATED 0xd97560e5fc07f117ull
#define EVENT_AGENT_DEACTIVATED 0xb41494775752fb8aull
#define EVENT_AGENT_CLOSED 0xa5c9bcdc3bcf8548ull
#define EVENT_STAKE_DEPOSITED 0x13e122e86d909845ull
#define EVENT_WITHDRAWAL_REQUESTED 0x379666a00c15cf4bull
#define EVENT_WITHDRAWAL_CANCELLED 0x09e5edba50cfaf77ull
#define EVENT_STAKE_WITHDRAWN 0x4faeff8c3a9f7821ull
#define EVENT_STAKE_CLOSED 0xa0d60c8b864da648ull
enum {
  INITIALIZE_ADMIN,
  INITIALIZE_CONFIG,
  INITIALIZE_PROGRAM_DATA,
  INITIALIZE_USDC_MINT,
  INITIALIZE_TREASURY,
  INITIALIZE_SYSTEM_PROGRAM,
};
enum {
  UPDATE_CONFIG_ADMIN,
  UPDATE_CONFIG_CONFIG,
};
enum {
  REGISTER_REPORTER_ADMIN,
  REGISTER_REPORTER_CONFIG,
  REGISTER_REPORTER_AUTHORITY,
  REGISTER_REPORTER_REPORTER,
  REGISTER_REPORTER_SYSTEM_PROGRAM,
};
enum {
  SET_REPORTER_ACTIVE_ADMIN,
  SET_REPORTER_ACTIVE_CONFIG,
  SET_REPORTER_ACTIVE_REPORTER,
};
enum {
  REGISTER_AGENT_PAYER,
  REGISTER_AGENT_OWNER,
  REGISTER_AGENT_AGENT,
  REGISTER_AGENT_DEACTIVATION_RECORD,
  REGISTER_AGENT_CONFIG,
  REGISTER_AGENT_SYSTEM_PROGRAM,
  REGISTER_AGENT_EVENT_AUTHORITY,
  REGISTER_AGENT_PROGRAM,
};
enum {
  UPDATE_AGENT_OWNER,
  UPDATE_AGENT_AGENT,
  UPDATE_AGENT_CONFIG,
  UPDATE_AGENT_EVENT_AUTHORITY,
  UPDATE_AGENT_PROGRAM,
};
enum {
  SUSPEND_AGENT_AUTHORITY,
  SUSPEND_AGENT_AGENT,
  SUSPEND_AGENT_CONFIG,
  SUSPEND_AGENT_EVENT_AUTHORITY,
  SUSPEND_AGENT_PROGRAM,
};
enum {
  REACTIVATE_AGENT_AUTHORITY,
  REACTIVATE_AGENT_AGENT,
  REACTIVATE_AGENT_CONFIG,
  REACTIVATE_AGENT_EVENT_AUTHORITY,
  REACTIVATE_AGENT_PROGRAM,
};
enum {
  DEACTIVATE_AGENT_OWNER,
  DEACTIVATE_AGENT_AGENT,
  DEACTIVATE_AGENT_DEACTIVATION_RECORD,
  DEACTIVATE_AGENT_CONFIG,
  DEACTIVATE_AGENT_SYSTEM_PROGRAM,
  DEACTIVATE_AGENT_EVENT_AUTHORITY,
  DEACTIVATE_AGENT_PROGRAM,
};
enum {
  CLOSE_AGENT_OWNER,
  CLOSE_AGENT_AGENT,
  CLOSE_AGENT_STAKE,
  CLOSE_AGENT_RENT_PAYER,
  CLOSE_AGENT_CONFIG,
  CLOSE_AGENT_EVENT_AUTHORITY,
  CLOSE_AGENT_PROGRAM,
};
enum {
  CLOSE_DEACTIVATION_RECORD_OWNER,
  CLOSE_DEACTIVATION_RECORD_DEACTIVATION_RECORD,
  CLOSE_DEACTIVATION_RECORD_CONFIG,
};
enum {
  DEPOSIT_PAYER,
  DEPOSIT_OWNER,
  DEPOSIT_AGENT,
  DEPOSIT_STAKE,
  DEPOSIT_VAULT,
  DEPOSIT_OWNER_TOKEN,
  DEPOSIT_USDC_MINT,
  DEPOSIT_CONFIG,
  DEPOSIT_TOKEN_PROGRAM,
  DEPOSIT_SYSTEM_PROGRAM,
  DEPOSIT_EVENT_AUTHORITY,
  DEPOSIT_PROGRAM,
};
enum {
  REQUEST_WITHDRAWAL_OWNER,
  REQUEST_WITHDRAWAL_AGENT,
  REQUEST_WITHDRAWAL_STAKE,
  REQUEST_WITHDRAWAL_WITHDRAWAL,
  REQUEST_WITHDRAWAL_CONFIG,
  REQUEST_WITHDRAWAL_SYSTEM_PROGRAM,
  REQUEST_WITHDRAWAL_EVENT_AUTHORITY,
  REQUEST_WITHDRAWAL_PROGRAM,
};
enum {
  CANCEL_WITHDRAWAL_OWNER,
  CANCEL_WITHDRAWAL_AGENT,
  CANCEL_WITHDRAWAL_STAKE,
  CANCEL_WITHDRAWAL_WITHDRAWAL,
  CANCEL_WITHDRAWAL_CONFIG,
  CANCEL_WITHDRAWAL_EVENT_AUTHORITY,
  CANCEL_WITHDRAWAL_PROGRAM,
};
enum {
  COMPLETE_WITHDRAWAL_OWNER,
  COMPLETE_WITHDRAWAL_AGENT,
  COMPLETE_WITHDRAWAL_STAKE,
  COMPLETE_WITHDRAWAL_WITHDRAWAL,
  COMPLETE_WITHDRAWAL_VAULT,
  COMPLETE_WITHDRAWAL_OWNER_TOKEN,
  COMPLETE_WITHDRAWAL_CONFIG,
  COMPLETE_WITHDRAWAL_TOKEN_PROGRAM,
  COMPLETE_WITHDRAWAL_EVENT_AUTHORITY,
  COMPLETE_WITHDRAWAL_PROGRAM,
};
enum {
  CLOSE_STAKE_OWNER,
  CLOSE_STAKE_AGENT,
  CLOSE_STAKE_STAKE,
  CLOSE_STAKE_VAULT,
  CLOSE_STAKE_OWNER_TOKEN,
  CLOSE_STAKE_RENT_PAYER,
  CLOSE_STAKE_CONFIG,
  CLOSE_STAKE_TOKEN_PROGRAM,
  CLOSE_STAKE_EVENT_AUTHORITY,
  CLOSE_STAKE_PROGRAM,
};
enum {
  REPORT_BEHAVIOR_AUTHORITY,
  REPORT_BEHAVIOR_REPORTER,
  REPORT_BEHAVIOR_AGENT,
  REPORT_BEHAVIOR_CONFIG,
  REPORT_BEHAVIOR_EVENT_AUTHORITY,
  REPORT_BEHAVIOR_PROGRAM,
};
#define MAX_ACCOUNTS 12
// handler, log line, account names, discriminator, accounts, signers, writables, and the positions
// of the System program, the Token program and the event authority (-1: none)
#define INSTRUCTIONS(X) \
  X(initialize, "Instruction: Initialize", "admin config program_data usdc_mint treasury system_program", 0xed9b980d1f6dafafull, 6, 0x1, 0x3, 5, -1, -1) \
  X(update_config, "Instruction: UpdateConfig", "admin config", 0x63db530abffc9e1dull, 2, 0x1, 0x2, -1, -1, -1) \
  X(register_reporter, "Instruction: RegisterReporter", "admin config authority reporter system_program", 0x4f395c97b7e13d20ull, 5, 0x1, 0x9, 4, -1, -1) \
  X(set_reporter_active, "Instruction: SetReporterActive", "admin config reporter", 0xbb7cbe7b272dfe81ull, 3, 0x1, 0x4, -1, -1, -1) \
  X(register_agent, "Instruction: RegisterAgent", "payer owner agent deactivation_record config system_program event_authority program", 0x1eaf7102c3429d87ull, 8, 0x3, 0x5, 5, -1, 6) \
  X(update_agent, "Instruction: UpdateAgent", "owner agent config event_authority program", 0xa4668b7709b20255ull, 5, 0x1, 0x2, -1, -1, 3) \
  X(suspend_agent, "Instruction: SuspendAgent", "authority agent config event_authority program", 0x6e3b14f73b361cf2ull, 5, 0x1, 0x2, -1, -1, 3) \
  X(reactivate_agent, "Instruction: ReactivateAgent", "authority agent config event_authority program", 0x0cd118d261b307e7ull, 5, 0x1, 0x2, -1, -1, 3) \
  X(deactivate_agent, "Instruction: DeactivateAgent", "owner agent deactivation_record config system_program event_authority program", 0xa6607e52e1efabcdull, 7, 0x1, 0x7, 4, -1, 5) \
  X(close_agent, "Instruction: CloseAgent", "owner agent stake rent_payer config event_authority program", 0xed571e9d9168b934ull, 7, 0x1, 0xa, -1, -1, 5) \
  X(close_deactivation_record, "Instruction: CloseDeactivationRecord", "owner deactivation_record config", 0x75d9bebb95305d68ull, 3, 0x1, 0x3, -1, -1, -1) \
  X(deposit, "Instruction: Deposit", "payer owner agent stake vault owner_token usdc_mint config token_program system_program event_authority program", 0xb6f2e15289c623f2ull, 12, 0x3, 0x3d, 9, 8, 10) \
  X(request_withdrawal, "Instruction: RequestWithdrawal", "owner agent stake withdrawal config system_program event_authority program", 0xb10cc938cd7955fbull, 8, 0x1, 0xf, 5, -1, 6) \
  X(cancel_withdrawal, "Instruction: CancelWithdrawal", "owner agent stake withdrawal config event_authority program", 0x46d2801cfab568b7ull, 7, 0x1, 0xf, -1, -1, 5) \
  X(complete_withdrawal, "Instruction: CompleteWithdrawal", "owner agent stake withdrawal vault owner_token config token_program event_authority program", 0x79ae784a8386626bull, 10, 0x1, 0x3d, -1, 7, 8) \
  X(close_stake, "Instruction: CloseStake", "owner agent stake vault owner_token rent_payer config token_program event_authority program", 0xefbd1a194c4ce55cull, 10, 0x1, 0x3c, -1, 7, 8) \
  X(report_behavior, "Instruction: ReportBehavior", "authority reporter agent config event_authority program", 0x93503a419c19abe8ull, 6, 0x1, 0x6, -1, -1, 4)
