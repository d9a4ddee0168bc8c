import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import {
  agentAddress,
  createRegistry,
  generateSigner,
  type KeySigner,
  type Registry,
} from '@agent-registry/client'
import { pubkey } from '@agent-registry/solana'
import { readRuntime } from '../compose/runtime-file.ts'
import { systemClock } from '../platform/clock.ts'
import { readConfig } from '../platform/config/config.ts'
import { type Contexts, loadContexts } from '../identity/credentials/contexts/load.ts'
import {
  checkIssuer,
  createTrustedIssuers,
  type TrustedIssuers,
} from '../identity/credentials/trusted-issuers.ts'
import type { LocalnetFaucet } from '../compose/localnet/transaction-sender.ts'
import { use } from './connect.ts'
import { faucetOf } from './localnet.ts'
import { CommandError, jsonOf, waitFor } from './output.ts'
import { openDatabaseWorkspace } from './workspace.ts'
import { randomUUID } from 'node:crypto'
import { Keypair } from '@solana/web3.js'
import { USDC_UNIT } from '@agent-registry/program'
import { issueCredential } from '../identity/credentials/issue-credential.ts'
import { ownerDid } from '../domain/did.ts'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookEvent } from '@agent-registry/client/webhooks'

/** Runs every main feature against the gateway on this machine's localnet. */
export function demoCommand(): Command {
  return new Command('demo').action((_, command: Command) => demo(command))
}

async function demo(command: Command): Promise<void> {
  const { config } = readConfig(process.env)
  const runtime = readRuntime(config.dataDir)
  if (runtime === null || runtime.baseUrl === '')
    throw new CommandError(`no gateway is running on ${config.dataDir}: start one with npm start`)
  if (config.ledger.rpcUrls !== null)
    throw new CommandError('SOLANA_RPC_URL is set: the demo needs the faucet of a localnet')
  if (!config.sponsorship.enabled)
    throw new CommandError('the localnet has no invite code: SPONSORSHIP_ENABLED is off')
  const invite = join(config.dataDir, 'invite-code')
  // A localnet creates its first code when its sample agents are registered.
  await waitFor('the creation of the first invite code', () => existsSync(invite) || null)

  await using workspace = await openDatabaseWorkspace(command)
  const { em, output } = workspace
  const { programId } = config.ledger
  const wallet = await generateSigner()
  const receiver = await startReceiver()
  const steps: { step: string; detail: object }[] = []
  try {
    await use(async () =>
      playStory({
        registry: createRegistry(runtime.baseUrl, { program: programId, wallet }),
        wallet,
        agent: await agentAddress(wallet.address, programId),
        faucet: faucetOf(runtime.rpcUrl),
        receiver,
        inviteCode: readFileSync(invite, 'utf8').trim(),
        issuers: createTrustedIssuers({ em, clock: systemClock }),
        contexts: loadContexts(config.credentialContextsDir),
        report: (step, detail) => {
          steps.push({ step, detail })
          if (!output.json)
            process.stdout.write(`${String(steps.length).padStart(2)}. ${step}\n    ${jsonOf(detail)}\n`)
        },
      }),
    )
  } finally {
    receiver.close()
  }
  output.result({ steps }, ['done'])
}

interface Stage {
  /** Connected as the wallet. */
  readonly registry: Registry
  readonly wallet: KeySigner
  /** The address of the wallet's agent. */
  readonly agent: string
  readonly faucet: LocalnetFaucet
  readonly receiver: Receiver
  readonly inviteCode: string
  readonly issuers: TrustedIssuers
  readonly contexts: Contexts
  /** Called after each step. */
  readonly report: (step: string, detail: object) => void
}

const DEPOSIT = 600n * USDC_UNIT
const FUNDS = { lamports: 1_000_000_000n, usdc: 1_000n * USDC_UNIT }

/**
 * Sponsored registration, webhook, stake, DID and credential, with the client package only. Throws
 * if a step fails.
 */
async function playStory(stage: Stage): Promise<void> {
  const { registry, receiver, wallet, report } = stage
  report('created a wallet without lamports', { wallet: wallet.address })
  const webhook = await subscribe(stage)
  await register(stage)
  const registered = await delivery(stage, 'agent.registered')
  report('received the webhook, its signature is valid', shown(registered))
  await deposit(stage)
  const raised = await delivery(stage, 'agent.tier_updated')
  report('the tier rose', { data: raised.event.data })
  await identify(stage)
  await certify(stage)
  const { total } = await registry.webhooks.deliveries(webhook).page()
  await registry.webhooks.delete(webhook)
  report('deleted the webhook', { deliveriesLogged: total, wrongSignatures: receiver.refused.length })
}

async function subscribe({ registry, receiver, agent, report }: Stage): Promise<string> {
  const eventTypes = await registry.webhooks.eventTypes()
  const webhook = { url: `${receiver.baseUrl}/hook`, eventTypes, filterAgentPda: agent }
  const { id, secret } = await registry.webhooks.create(webhook)
  receiver.secret = secret
  report('created a webhook for the agent, authenticated by the wallet', { id, events: eventTypes.length })
  return id
}

/** No card is hosted at the URL: the program requires https. */
async function register({ registry, wallet, inviteCode, report }: Stage): Promise<void> {
  const query = { wallet: wallet.address, code: inviteCode }
  const eligibility = await registry.call('getEligibility', { query })
  if (!eligibility.eligible) throw new CommandError(`the wallet is not eligible: ${eligibility.reason}`)
  const cardUrl = 'https://navigator.example/agent-card.json'
  const agent = { name: 'Demo Navigator', category: 'logistics', cardUrl, card: 'the agent card' } as const
  const { transaction } = await registry.agents.register({ ...agent, inviteCode }, wallet)
  const { status, signature, sponsored } = transaction
  report('registered an agent, paid by the service', { sponsored, status, signature })
}

/** Gives the wallet SOL and USDC, and deposits 600 USDC in a transaction that it pays for. */
async function deposit({ registry, faucet, wallet, report }: Stage): Promise<void> {
  const owner = pubkey(wallet.address)
  await faucet.airdrop(owner, FUNDS.lamports)
  await faucet.mintUsdc(owner, FUNDS.usdc)
  const { status, signature } = await registry.stakes.deposit(DEPOSIT, wallet)
  report('staked 600 USDC, paid by the wallet', { status, signature })
}

async function identify({ registry, wallet, agent: pda, report }: Stage): Promise<void> {
  const { capabilities, ...rest } = await registry.agents.get(pda)
  // JSON has no bigint.
  const agent = { ...rest, capabilities: Number(capabilities) }
  const { didDocument } = await registry.call('resolveDid', { path: { did: ownerDid(wallet.address) } })
  const detail = { agent, did: didDocument.id, services: didDocument.service.length }
  report('read the agent and its DID', detail)
}

async function certify({
  registry,
  wallet,
  agent,
  receiver,
  issuers,
  contexts,
  report,
}: Stage): Promise<void> {
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
    subjectDid: ownerDid(wallet.address),
    suite: 'Ed25519Signature2020',
    id: `urn:uuid:${randomUUID()}`,
    now: Date.now(),
    validUntil: null,
    contexts,
  })
  receiver.documents.set('/audit.json', JSON.stringify(credential))
  const credentialUrl = `${receiver.baseUrl}/audit.json`
  const { proofVerified, checks } = await waitFor('the verification', async () => {
    const verdict = await registry.credentials.verify(agent, { credentialUrl }, wallet)
    // The service reloads its trusted issuers once per second.
    return verdict.proofVerified ? verdict : null
  })
  const passed = checks.filter((each) => each.passed).map((each) => each.check)
  report('verified a SecurityAudit credential', { issuer, proofVerified, passed })
  const credentials = await registry.credentials.list(agent, { type: 'SecurityAudit' })
  report('listed the credentials of the agent', { credentials })
  await issuers.remove(issuer)
}

function delivery({ receiver }: Stage, type: string): Promise<Received> {
  return waitFor(`the webhook ${type}`, () => receiver.received.find(({ event }) => event.type === type))
}

function shown({ event, signature }: Received): object {
  return { id: event.id, type: event.type, slot: event.slot, signature }
}

interface Received {
  readonly event: WebhookEvent
  readonly signature: string
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Receives webhooks and hosts documents. */
async function startReceiver() {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const document = receiver.documents.get(request.url ?? '')
      response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(document)
      return
    }
    void answerDelivery(request, response)
  })
  const answerDelivery = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const rawBody = Buffer.concat((await request.toArray()) as Buffer[])
    response.writeHead((await accept(receiver, rawBody, request.headers)) ? 200 : 400).end()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Verifies the following deliveries. */
    secret: '',
    /** JSON texts by path. */
    documents: new Map<string, string>(),
    received: [] as Received[],
    /** Errors of deliveries with an invalid signature. */
    refused: [] as string[],
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return receiver
}

async function accept(receiver: Receiver, rawBody: Buffer, headers: IncomingHttpHeaders): Promise<boolean> {
  try {
    const event = await verifyWebhook(rawBody, headers, receiver.secret)
    receiver.received.push({ event, signature: String(headers['x-service-signature']) })
    return true
  } catch (error) {
    receiver.refused.push(String(error))
    return false
  }
}
