import type { Keypair } from '@solana/web3.js'
import type { ServiceCategory } from '@agent-registry/program'
import { ownerDid } from '../../domain/did.ts'
import { loadContexts } from '../../identity/credentials/contexts/load.ts'
import { issueCredential } from '../../identity/credentials/issue-credential.ts'
import { sha256 } from '../../identity/json.ts'
import type { LocalnetKeys } from '../../platform/keys.ts'
import { type SampleAgent, sampleHome } from './sample-agents.ts'
import { ipfsCid } from './sample-documents.ts'

type Owned = SampleAgent & { readonly wallet: Keypair }

/** What the registration of a sample agent records. */
export interface SampleCard {
  url: string
  /** SHA-256. */
  hash: Buffer
}

type Credential = { type: string; by: 'auditor' | 'itself' }

const CREDENTIALS: Record<string, Credential[]> = {
  'Granite Custody': [
    { type: 'SecurityAuditCredential', by: 'auditor' },
    { type: 'ComplianceCredential', by: 'auditor' },
  ],
  'Kestrel Auditor': [
    { type: 'SecurityAuditCredential', by: 'auditor' },
    { type: 'IdentityCredential', by: 'auditor' },
  ],
  'Fathom Analytics': [{ type: 'CapabilityCredential', by: 'itself' }],
}
/** Hosts another version of its card than the one that it recorded. */
const CHANGED = 'Quarry Data'
/** The cards of these are at a host that does not exist. */
const UNREACHABLE = new Set(['Ember Support', 'Nimbus Devops'])
/** Fixed, so that a seed that is killed and continued writes the same documents. */
const ISSUED_AT = Date.UTC(2026, 0, 1)

const SKILLS: Record<ServiceCategory, [name: string, description: string]> = {
  logistics: ['Plan a route', 'Plans pickups and deliveries, and warns of likely delays.'],
  research: ['Summarize sources', 'Reads papers and reports, and answers questions with references.'],
  financial: ['Review a ledger', 'Checks balances, limits and unusual transactions.'],
  customerService: ['Answer a customer', 'Answers questions about orders, and hands over to people.'],
  dataAnalysis: ['Analyze a table', 'Finds trends and outliers in tables, and draws charts.'],
  commerce: ['Compare offers', 'Compares prices and terms of several sellers.'],
  contentCreation: ['Write a text', 'Writes and translates texts in a given style.'],
  development: ['Review a change', 'Reads a change of source code, and lists possible errors.'],
  other: ['Schedule a task', 'Runs tasks at given times, and reports their results.'],
}

/**
 * The cards of the sample agents by name, and their documents by IPFS content identifier. The same
 * keys give the same documents.
 */
export async function sampleCards(
  agents: readonly Owned[],
  keys: LocalnetKeys,
): Promise<{ cards: Map<string, SampleCard>; documents: Map<string, Buffer> }> {
  const documents = new Map<string, Buffer>()
  const host = (document: unknown): string => {
    const bytes = jsonBytes(document)
    const cid = ipfsCid(bytes)
    documents.set(cid, bytes)
    return `ipfs://${cid}`
  }
  const contexts = loadContexts(null)
  const issue = async (agent: Owned, { type, by }: Credential): Promise<string> => {
    const credential = await issueCredential({
      keypair: by === 'auditor' ? keys.sampleAuditor : agent.wallet,
      type,
      subjectDid: ownerDid(agent.wallet.publicKey.toBase58()),
      suite: 'eddsa-jcs-2022',
      id: `${sampleHome(agent)}/credentials/${type}`,
      now: ISSUED_AT,
      validUntil: null,
      contexts,
    })
    return host(credential)
  }
  const cards = new Map<string, SampleCard>()
  for (const agent of agents) {
    const credentials = await Promise.all((CREDENTIALS[agent.name] ?? []).map((each) => issue(agent, each)))
    const card = cardOf(agent, credentials)
    const recorded = agent.name === CHANGED ? { ...card, version: '0.9.0' } : card
    const hash = sha256(jsonBytes(recorded))
    const isHosted = !agent.isCopy && !UNREACHABLE.has(agent.name)
    cards.set(agent.name, { url: isHosted ? host(card) : `${sampleHome(agent)}/agent-card.json`, hash })
  }
  return { cards, documents }
}

function jsonBytes(document: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`)
}

/** An A2A 1.0 card. */
function cardOf(agent: SampleAgent, credentials: string[]) {
  const [skill, description] = SKILLS[agent.category]
  const home = sampleHome(agent)
  return {
    name: agent.name,
    description,
    version: agent.version,
    provider: { organization: 'Example Agents', url: 'https://agents.example.org' },
    supportedInterfaces: [{ url: `${home}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: skill.toLowerCase().replaceAll(' ', '-'),
        name: skill,
        description,
        tags: [agent.category],
      },
    ],
    ...(credentials.length === 0 ? {} : { credentials }),
  }
}
