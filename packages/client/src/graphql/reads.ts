import type { Transport } from '../http/call.ts'
import { AGENT_RENT_PAYER_QUERY, MINT_QUERY, STAKE_RENT_PAYER_QUERY } from './documents.ts'
import { runQuery } from './query.ts'

// A gateway that lies about these is harmless: the program accepts only its own mint, and only the
// rent payer that it recorded.

/** The mint of the stakes. */
export async function readMint(transport: Transport): Promise<string> {
  const { registryConfig } = await runQuery<{ registryConfig: { usdcMint: string } | null }>(
    transport,
    MINT_QUERY,
  )
  if (registryConfig === null) throw new Error('The registry is not initialised')
  return registryConfig.usdcMint
}

/** Who paid the rent of an account. Throws RegistryError if it does not exist. */
export async function readRentPayer(
  transport: Transport,
  kind: 'agent' | 'stake',
  pda: string,
): Promise<string> {
  const query = kind === 'agent' ? AGENT_RENT_PAYER_QUERY : STAKE_RENT_PAYER_QUERY
  const { account } = await runQuery<{ account: { rentPayer: string } }>(transport, query, { pda })
  return account.rentPayer
}
