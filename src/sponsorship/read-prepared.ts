import { parseMessage } from '@agent-registry/solana'
import type { RegistryAddresses } from '@agent-registry/program'
import type { TransactionRow } from '../relay/record.ts'
import type { SponsorshipRequest } from './usage.ts'

export type PreparedSponsorship = Omit<SponsorshipRequest, 'clientNetwork'>

/** What a sponsored transaction was prepared for. The wallet is its second signer. */
export function readPrepared(
  { message, invite_code_hash: codeHash }: TransactionRow,
  addresses: RegistryAddresses,
): PreparedSponsorship {
  const [, wallet] = parseMessage(Buffer.from(message, 'base64')).staticKeys
  if (wallet === undefined) throw new Error('a sponsored transaction has no wallet')
  const kind = codeHash === null ? 'transaction' : 'registration'
  return { kind, wallet, agentPda: addresses.agent(wallet), codeHash }
}
