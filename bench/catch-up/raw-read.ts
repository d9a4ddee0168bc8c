import { Pool } from 'undici'
import { registryIdl } from '@agent-registry/program'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
const PROGRAM = registryIdl.address
const PAGE = 1_000
const BATCH = 100
const IN_FLIGHT = 3

interface Listed {
  signature: string
}

/**
 * Reads from the node what a catch-up reads: every signature, transaction and account. It drops the
 * bodies without parsing them, so no real reader can be faster.
 */
export async function rawRead(rpcUrl: string): Promise<number> {
  const pool = new Pool(new URL(rpcUrl).origin, { connections: IN_FLIGHT })
  const send = async (body: unknown): Promise<string> => {
    const response = await pool.request({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`)
    return response.body.text()
  }
  const call = async <T>(method: string, params: unknown[]): Promise<T> =>
    (JSON.parse(await send({ jsonrpc: '2.0', id: 1, method, params })) as { result: T }).result
  const batches = async (calls: { method: string; params: unknown[] }[][]): Promise<void> => {
    const queue = calls.values()
    const work = async (): Promise<void> => {
      for (const batch of queue)
        await send(batch.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })))
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, work))
  }

  const listedAccounts = await call<{ pubkey: string }[]>('getProgramAccounts', [
    PROGRAM,
    { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: 0 } },
  ])
  const config = { encoding: 'base64', commitment: 'confirmed' }
  const groups = chunks(
    listedAccounts.map((each) => each.pubkey),
    BATCH,
  ).map((group) => ({ method: 'getMultipleAccounts', params: [group, config] }))
  await batches(chunks(groups, 10))

  const signatures: string[] = []
  for (let before: string | undefined; ;) {
    const page = await call<Listed[]>('getSignaturesForAddress', [
      PROGRAM,
      { limit: PAGE, commitment: 'confirmed', ...(before === undefined ? {} : { before }) },
    ])
    for (const { signature } of page) signatures.push(signature)
    before = page.at(-1)?.signature
    if (page.length === 0) break
  }
  const transactionConfig = {
    encoding: 'json',
    commitment: 'confirmed',
    maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
  }
  const calls = signatures
    .toReversed()
    .map((signature) => ({ method: 'getTransaction', params: [signature, transactionConfig] }))
  await batches(chunks(calls, BATCH))
  await pool.close()
  return signatures.length
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = []
  for (let at = 0; at < items.length; at += size) result.push(items.slice(at, at + size))
  return result
}
