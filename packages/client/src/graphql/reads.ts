import type { Transport } from '../http/call.ts'
import { MINT_QUERY } from './documents.ts'
import { runQuery } from './query.ts'

/** The mint of the stakes. A wrong one is harmless: the program accepts only its own. */
export async function readMint(transport: Transport): Promise<string> {
  const { registryConfig } = await runQuery<{ registryConfig: { usdcMint: string } | null }>(
    transport,
    MINT_QUERY,
  )
  if (registryConfig === null) throw new Error('The registry is not initialised')
  return registryConfig.usdcMint
}
