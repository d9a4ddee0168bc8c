import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { isPubkey } from '@agent-registry/solana'
import { systemClock } from '../platform/clock.ts'
import { readConfig } from '../platform/config/config.ts'
import { loadContexts } from '../identity/credentials/contexts/load.ts'
import { issueCredential } from '../identity/credentials/issue-credential.ts'
import { KNOWN_KINDS, knownKind, parseDateTimeStamp } from '../identity/credentials/formats.ts'
import { ownerDid } from '../domain/did.ts'
import { readKeypairFile } from '../platform/keys.ts'
import { CommandError, outputOf } from './output.ts'
import { collect } from './registry/options.ts'
import { openDatabaseWorkspace } from './workspace.ts'
import { describeCanonizeError, type Suite } from '../identity/credentials/verify/crypto/verify-proofs.ts'

const SUITES = ['Ed25519Signature2020', 'eddsa-rdfc-2022', 'eddsa-jcs-2022'] as const satisfies Suite[]

interface IssueCommandOptions {
  key: string
  type: string
  subject: string
  validUntil?: string
  suite: Suite
  claim?: string[]
  out?: string
}

/** Issues credentials for trying out the service. Real issuers use their own tools. */
export function credentialCommand(): Command {
  return new Command('credential').addCommand(
    new Command('issue')
      .description('sign a credential with a Solana CLI key file; the issuer is did:sol:<its public key>')
      .requiredOption('--key <file>', 'key file of the issuer')
      .requiredOption('--type <kind>', 'SecurityAudit, Identity, Capability or Compliance')
      .requiredOption('--subject <did|pda|owner>', 'DID, account or owner of the agent')
      .option('--valid-until <iso>', 'expiry time; default: never')
      .addOption(new Option('--suite <suite>', 'signature suite').choices(SUITES).default(SUITES[0]))
      .option('--claim <term=text>', 'a claim about the agent; can be repeated', collect)
      .option('--out <file>', 'output file; default: standard output')
      .action(issue),
  )
}

async function issue(options: IssueCommandOptions, command: Command): Promise<void> {
  const type = knownKind(options.type)
  if (type === null)
    throw new CommandError(`--type must be one of ${KNOWN_KINDS.join(', ')}, got ${options.type}`)
  const { validUntil = null } = options
  if (validUntil !== null && parseDateTimeStamp(validUntil) === null) {
    throw new CommandError(
      `--valid-until must be a date and time with zone, as in 2027-01-31T00:00:00Z, got ${validUntil}`,
    )
  }
  const claims = claimsOf(options.claim ?? [])
  const keypair = readKeypairFile(options.key)
  const subjectDid = await subjectOf(options.subject, command)
  const contexts = loadContexts(readConfig(process.env).config.credentialContextsDir)
  const id = `urn:uuid:${randomUUID()}`
  const { suite } = options
  const now = systemClock.now()
  const request = { keypair, type, subjectDid, suite, id, now, validUntil, claims, contexts }
  const credential = await issueCredential(request).catch((error: unknown) => {
    throw new CommandError(`the credential cannot be created: ${describeCanonizeError(error)}`)
  })
  const text = `${JSON.stringify(credential, null, 2)}\n`
  if (options.out === undefined) process.stdout.write(text)
  else {
    writeFileSync(options.out, text)
    const issuer = ownerDid(keypair.publicKey.toBase58())
    outputOf(command).result({ file: options.out, issuer, subject: subjectDid, type }, [
      `${type} of ${subjectDid} by ${issuer} in ${options.out}`,
    ])
  }
}

/** Accepts a DID, the account of an agent (its owner's DID), or a public key. */
async function subjectOf(subject: string, command: Command): Promise<string> {
  if (subject.startsWith('did:sol:') && isPubkey(subject.slice('did:sol:'.length))) return subject
  if (!isPubkey(subject)) {
    throw new CommandError(`--subject must be a did:sol, an agent's account or a public key, got ${subject}`)
  }
  await using workspace = await openDatabaseWorkspace(command)
  const agent = await workspace.em
    .getKysely()
    .selectFrom('agents')
    .select('owner')
    .where('pda', '=', subject)
    .executeTakeFirst()
  return ownerDid(agent?.owner ?? subject)
}

function claimsOf(claims: string[]): Record<string, string> {
  return Object.fromEntries(
    claims.map((claim) => {
      const equals = claim.indexOf('=')
      if (equals < 1) throw new CommandError(`--claim must be TERM=TEXT, got ${claim}`)
      return [claim.slice(0, equals), claim.slice(equals + 1)]
    }),
  )
}
