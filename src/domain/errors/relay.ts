import type { ErrorEntry } from './entry.ts'

/** Errors of preparing and submitting transactions. */
export const RELAY_ERRORS = {
  INSTRUCTIONS_REQUIRED: { status: 400, message: 'instructions array is required' },
  SIGNERS_REQUIRED: { status: 400, message: 'signerPubkeys array is required' },
  ACCOUNT_KEYS_REQUIRED: { status: 400, message: 'accountKeys array is required' },
  TOO_MANY_ACCOUNT_KEYS: { status: 400, message: 'Too many account keys: {count}, at most {max}' },
  TOO_MANY_INSTRUCTIONS: { status: 400, message: 'Too many instructions: {count}, at most {max}' },
  TRANSACTION_TOO_LARGE: { status: 400, message: 'Transaction too large: {size} bytes, at most {max}' },
  COMPUTE_BUDGET_GIVEN: {
    status: 400,
    message: 'The service adds compute budget instructions. Set priorityLevel instead.',
  },
  DURABLE_NONCE: { status: 400, message: 'Durable nonces are not supported: remove AdvanceNonceAccount' },
  REPEATED_SIGNER: { status: 400, message: 'signerPubkeys must not contain a key twice' },
  SIGNER_MISSING: {
    status: 400,
    message: 'signerPubkeys must contain {key}, which an instruction requires as signer',
  },
  SIGNER_NOT_NEEDED: {
    status: 400,
    message: 'signerPubkeys contains {key}, which no instruction requires as signer',
  },
  CANNOT_SIGN: { status: 400, message: 'signerPubkeys contains {key}, which cannot sign' },
  PROGRAM_NOT_ALLOWED: { status: 403, message: 'Program {program} is not allowed by this relay' },
  SIMULATION_FAILED: { status: 422, message: 'Transaction simulation failed' },
  PREPARE_FAILED: { status: 500, message: 'Failed to prepare transaction' },
  LOCALNET_ONLY: { status: 403, message: 'Only a localnet gives SOL and USDC to wallets' },
  TRANSACTION_NOT_FOUND: { status: 404, message: 'Transaction not found' },
  TRANSACTION_EXPIRED: { status: 410, message: 'Transaction expired' },
  SUBMISSION_FIELDS_REQUIRED: { status: 400, message: 'id and signedTx are required' },
  INVALID_SIGNED_TRANSACTION: { status: 400, message: 'Invalid signed transaction' },
  TRANSACTION_VERSION_UNSUPPORTED: {
    status: 400,
    message:
      'Transaction version {version} is not supported. Sign the prepared transaction, which has version 0',
  },
  TRANSACTION_MISMATCH: {
    status: 400,
    message: 'Signed transaction does not match the prepared transaction',
  },
  INVALID_SIGNATURE: { status: 400, message: 'Missing or invalid signature for {key}' },
} as const satisfies Record<string, ErrorEntry>
