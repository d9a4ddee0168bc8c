import { randomUUID } from 'node:crypto'
import { Keypair } from '@solana/web3.js'
import { pubkey, type Pubkey } from '@agent-registry/solana'
import { registryAddresses } from '@agent-registry/program'
import type { Contexts } from '../../identity/credentials/contexts/load.ts'
import { issueCredential } from '../../identity/credentials/issue-credential.ts'
import { checkIssuer } from '../../identity/credentials/trusted-issuers/check-issuer.ts'
import type { TrustedIssuers } from '../../identity/credentials/trusted-issuers/service.ts'
import { ownerDid } from '../../domain/did.ts'
import type { LedgerRpc } from '../../ledger/rpc/ledger-rpc.ts'
import { CommandError } from '../command-error.ts'
import { type Api, signTransaction } from './api.ts'
import type { Received, Receiver } from './receiver.ts'
import { type Prepared, registration, type Sent, stake } from './transactions.ts'
import { waitFor } from '../wait.ts'

export interface Stage {
  readonly api: Api
  readonly rpc: LedgerRpc
  readonly receiver: Receiver
  readonly program: Pubkey
  readonly usdcMint: Pubkey
  readonly inviteCode: string
  readonly issuers: TrustedIssuers
  readonly contexts: Contexts
  /** Called after each step. */
  readonly report: (step: string, detail: object) => void
}

/**
 * Sponsored registration, webhook, stake, DID and credential, by the documented paths only. Throws
 * CommandError if a step fails.
 */
export async function playStory(stage: Stage): Promise<void> {
  const wallet = Keypair.generate()
  const owner = pubkey(wallet.publicKey.toBase58())
  const agentPda = registryAddresses(stage.program).agent(owner)
  stage.report('created a wallet without lamports', { wallet: owner })
  const webhook = await subscribe(stage, wallet, agentPda)
  await register(stage, wallet)
  const registered = await delivery(stage, 'agent.registered')
  stage.report('received the webhook, its signature is valid', shown(registered))
  const { status, signature } = await stake({ ...stage, wallet })
  stage.report('staked 600 USDC, paid by the wallet', { status, signature })
  const raised = await delivery(stage, 'agent.tier_updated')
  stage.report('the tier rose', { data: raised.event.data })
  await identify(stage, owner, agentPda)
  await certify(stage, wallet, agentPda)
  const { total } = await stage.api.must<{ total: number }>(
    'GET',
    `/webhooks/${webhook}/deliveries`,
    undefined,
    wallet,
  )
  await stage.api.must('DELETE', `/webhooks/${webhook}`, undefined, wallet)
  stage.report('deleted the webhook', {
    deliveriesLogged: total,
    wrongSignatures: stage.receiver.refused.length,
  })
}

async function subscribe(
  { api, receiver, report }: Stage,
  wallet: Keypair,
  agentPda: string,
): Promise<string> {
  const { event_types: eventTypes } = await api.must<{ event_types: string[] }>(
    'GET',
    '/webhooks/event-types',
  )
  const body = { url: `${receiver.baseUrl}/hook`, eventTypes, filterAgentPda: agentPda }
  const { id, secret } = await api.must<{ id: string; secret: string }>('POST', '/webhooks', body, wallet)
  receiver.secret = secret
  report('created a webhook for the agent, authenticated by the wallet', { id, events: eventTypes.length })
  return id
}

async function register(stage: Stage, wallet: Keypair): Promise<void> {
  const { api, inviteCode, report } = stage
  const owner = pubkey(wallet.publicKey.toBase58())
  const query = new URLSearchParams({ wallet: owner, code: inviteCode })
  const eligibility = await api.must<{ eligible: boolean; reason?: string }>(
    'GET',
    `/sponsor/eligibility?${query}`,
  )
  if (!eligibility.eligible) throw new CommandError(`the wallet is not eligible: ${eligibility.reason}`)
  const { feePayer } = await api.must<{ feePayer: { pubkey: string } }>('GET', '/health/detailed')
  const payer = pubkey(feePayer.pubkey)
  const signed = { signerPubkey: owner, inviteCode }
  const { id, serializedTx } = await api.must<Prepared>('POST', '/sponsor/register', {
    instructions: [registration(stage.program, payer, owner)],
    ...signed,
  })
  const { status, signature } = await api.must<Sent>('POST', '/sponsor/register/submit', {
    id,
    signedTx: signTransaction(serializedTx, wallet),
    ...signed,
  })
  report('registered an agent, paid by the service', { feePayer: payer, status, signature })
}

async function identify({ api, report }: Stage, owner: string, agentPda: string): Promise<void> {
  const agent = await api.must<object>('GET', `/agents/${agentPda}`)
  const { didDocument } = await api.must<{ didDocument: { id: string; service: object[] } }>(
    'GET',
    `/did/${ownerDid(owner)}`,
  )
  report('read the agent and its DID', { agent, did: didDocument.id, services: didDocument.service.length })
}

async function certify(stage: Stage, wallet: Keypair, agentPda: string): Promise<void> {
  const { api, receiver, issuers, contexts, report } = stage
  const keypair = Keypair.generate()
  const issuer = ownerDid(keypair.publicKey.toBase58())
  const entry = checkIssuer({
    did: issuer,
    types: ['SecurityAudit'],
    keys: [],
    notBefore: null,
    notAfter: null,
  })
  if (typeof entry === 'string') throw new CommandError(entry)
  await issuers.put(entry)
  const credential = await issueCredential({
    keypair,
    type: 'SecurityAuditCredential',
    subjectDid: ownerDid(wallet.publicKey.toBase58()),
    suite: 'Ed25519Signature2020',
    id: `urn:uuid:${randomUUID()}`,
    now: Date.now(),
    validUntil: null,
    contexts,
  })
  receiver.documents.set('/audit.json', JSON.stringify(credential))
  const credentialUrl = `${receiver.baseUrl}/audit.json`
  const path = `/agents/${agentPda}/credentials`
  const { proofVerified, checks } = await waitFor('the verification', async () => {
    const verdict = await api.must<{ proofVerified: boolean; checks: { check: string; passed: boolean }[] }>(
      'POST',
      `${path}/verify`,
      { credentialUrl },
      wallet,
    )
    // The service reloads its trusted issuers once per second.
    return verdict.proofVerified ? verdict : null
  })
  const passed = checks.filter((each) => each.passed).map((each) => each.check)
  report('verified a SecurityAudit credential', { issuer, proofVerified, passed })
  const { credentials } = await api.must<{ credentials: object[] }>('GET', `${path}?type=SecurityAudit`)
  report('listed the credentials of the agent', { credentials })
  await issuers.remove(issuer)
}

function delivery({ receiver }: Stage, type: string): Promise<Received> {
  return waitFor(`the webhook ${type}`, () => receiver.received.find(({ event }) => event.type === type))
}

function shown({ event, signature }: Received): object {
  return { id: event.id, type: event.type, slot: event.slot, signature }
}
