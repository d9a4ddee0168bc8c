export type {
  Agent,
  AgentFilter,
  AgentUpdate,
  Card,
  HistoryFilter,
  Registered,
  Registration,
} from './agents.ts'
export type { Credential, CredentialFilter, GivenCredential } from './credentials.ts'
export {
  OutcomeUnknownError,
  type ProgramError,
  programErrorIn,
  RegistryError,
  TransactionFailedError,
} from './errors.ts'
export type { Operations } from './generated/api.ts'
export {
  agentAddress,
  type AgentStatus,
  PROGRAM,
  PROGRAM_ERRORS,
  type ServiceCategory,
  stakeAddress,
  type Tier,
  vaultAddress,
} from './generated/program.ts'
export type { Call, CallInput, CallOptions, CallResult, OperationId } from './http/call.ts'
export type { EventsOptions } from './live/events.ts'
export type { RegistryEvent, RegistryEventType } from './live/registry-event.ts'
export { AmountError, sol, usdc } from './money.ts'
export type { Listing } from './pages.ts'
export type { AccountKey, Instruction } from './program/instruction.ts'
export { tokenAccount } from './program/program-address.ts'
export { createRegistry, type Registry, type RegistryOptions } from './registry.ts'
export { generateSigner, type KeySigner, signerFromSecretKey } from './signers/secret-key.ts'
export { type Session, type SignInOptions, UnexpectedSignInError } from './sessions.ts'
export type { Signer } from './signers/signer.ts'
export {
  signerFromWalletStandard,
  type StandardAccount,
  type StandardWallet,
} from './signers/wallet-standard.ts'
export type { Stake, StakeFilter } from './stakes.ts'
export {
  checkTransaction,
  type ExpectedTransaction,
  UnexpectedTransactionError,
} from './transactions/check.ts'
export type { SendOptions } from './transactions/flow.ts'
export { MalformedTransactionError } from './transactions/message.ts'
export type {
  ResumeOptions,
  SendProgress,
  Transaction,
  UnfinishedTransaction,
} from './transactions/outcome.ts'
export {
  verifyWebhook,
  type VerifyWebhookOptions,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhooks/verify-webhook.ts'
export type { NewWebhook, Webhook, WebhookDelivery, WebhookUpdate } from './webhooks/webhooks.ts'
