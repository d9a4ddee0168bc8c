import type { ErrorEntry } from './entry.ts'

/** Agents, stakes, DIDs and credentials. */
export const REGISTRY_ERRORS = {
  AGENT_NOT_FOUND: { status: 404, message: 'Agent not found' },
  STAKE_NOT_FOUND: { status: 404, message: 'Stake account not found' },
  INVALID_DID: {
    status: 400,
    message: '{parameter} must be did:sol: and a base-58 public key of 32 bytes, got {value}',
  },
  DID_NOT_FOUND: { status: 404, message: 'DID not found' },
  DID_RESOURCE_NOT_FOUND: { status: 404, message: 'The DID Document has no {given}' },
  DID_METHOD_NOT_SUPPORTED: {
    status: 501,
    message: 'Only the DID method did:sol is supported, got {value}',
  },
  NOT_AGENT_OWNER: { status: 403, message: 'Wallet does not own this agent' },
  CREDENTIAL_SOURCE: { status: 400, message: 'Provide exactly one of credentialUrl or credential' },
  CREDENTIAL_NOT_FETCHED: { status: 422, message: 'Credential could not be fetched' },
} as const satisfies Record<string, ErrorEntry>
