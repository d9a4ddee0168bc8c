import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EntityManager } from '../db/orm-types.ts'
import { ownerDid } from '../domain/did.ts'
import { createTrustedIssuers } from '../identity/credentials/trusted-issuers.ts'
import type { Indexer } from '../ledger/indexer/indexer.ts'
import type { Clock } from '../platform/clock.ts'
import type { LocalnetKeys } from '../platform/keys.ts'
import { createInviteCodes, type InviteCodes, newInviteCode } from '../transactions/invite-codes.ts'
import type { RunningLedger } from './ledger.ts'
import type { GatewayContext, ServiceParts } from './services.ts'

/**
 * Sets up a localnet and starts the indexer. Returns the invite code of a localnet with a fee
 * payer.
 */
export async function fillTables(
  { config, orm, clock }: GatewayContext,
  {
    ledger: { localnet },
    indexer,
    parts,
    signal,
  }: { ledger: RunningLedger; indexer: Indexer | null; parts: ServiceParts; signal: AbortSignal },
): Promise<string | null> {
  if (localnet !== null && config.localnet.seedAgents > 0)
    await trustSampleAuditor(localnet.keys, { em: orm.em, clock })
  await localnet?.provision()
  signal.throwIfAborted()
  // Only now, so that the tables are filled for the first time with the sample agents in them.
  indexer?.start()
  if (localnet === null) return null
  await indexer?.whenIdle()
  if (parts.transactions.feePayer === null) return null
  return ensureInviteCode(config.dataDir, createInviteCodes(orm.em))
}

const TYPES = ['SecurityAuditCredential', 'IdentityCredential', 'ComplianceCredential']

/**
 * Trusts the issuer of the sample credentials. An existing entry stays as it is, so the operator
 * can disable it. A removed one is added again.
 */
async function trustSampleAuditor(
  { sampleAuditor }: LocalnetKeys,
  { em, clock }: { em: EntityManager; clock: Clock },
): Promise<void> {
  const did = ownerDid(sampleAuditor.publicKey.toBase58())
  const issuers = createTrustedIssuers({ em, clock })
  if ((await issuers.current()).find(did) !== undefined) return
  await issuers.put({ did, allowedTypes: TYPES, keys: [], notBefore: null, notAfter: null })
}

const USES = 1_000

/** The invite code of the localnet, for trying out sponsorship, in `DATA_DIR/invite-code`. */
async function ensureInviteCode(dataDir: string, codes: InviteCodes): Promise<string> {
  const file = join(dataDir, 'invite-code')
  if (!existsSync(file)) writeFileSync(file, `${newInviteCode()}\n`, { mode: 0o600 })
  const code = readFileSync(file, 'utf8').trim()
  await codes.ensure(code, USES)
  return code
}
