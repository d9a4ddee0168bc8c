import { beforeAll, expect } from 'vitest'
import { readConfig } from '../../../../src/platform/config/config.ts'
import { FEE_PAYER, FIXED_NOW, useTestApp } from '../../../support/app.ts'
import { clientAt } from '../../../support/clients.ts'
import { agentRow, insertAgents, keyOf } from '../../../support/factories.ts'
import { walletOf } from '../../../support/wallet.ts'
import { answerOf, list } from './check.ts'
import { MCP_HEADERS } from '../../../support/mcp.ts'
import { perFile } from '../../../support/lifetime.ts'

export const { config } = readConfig({
  SOLANA_RPC_URL: 'https://rpc.example.org',
  DATABASE_URL: 'postgres://h/x',
})
export const localnet = readConfig({}).config
export const KEY = keyOf('somebody')
export const VERIFY = `/agents/${keyOf('agent 0')}/credentials/verify`
export const MINUTE = 60_000

/** Tests change the time. */
export const clock = { time: FIXED_NOW, now: () => clock.time }
/**
 * What the node answers. It is scripted, because no real transaction uses exactly the compute units
 * of a limit, and no real fee payer has exactly the balance of one.
 */
export const scriptedLedger: Record<string, unknown> = {
  getGenesisHash: KEY,
  getRecentPerformanceSamples: [],
  getEpochInfo: { absoluteSlot: 10, blockHeight: 900, epoch: 0 },
  getLatestBlockhash: {
    context: { slot: 10 },
    value: { blockhash: KEY, lastValidBlockHeight: 1_000 },
  },
  getRecentPrioritizationFees: list(150, (slot) => ({ slot, prioritizationFee: 1e9 })),
  simulateTransaction: { value: { err: null, unitsConsumed: 1_000, logs: [] } },
}
export const t = useTestApp({
  listens: true,
  clock,
  webhooksPerNetwork: config.webhooks.dailyPerNetwork,
  ledger: { call: async (method) => scriptedLedger[method] as never },
  transactions: {
    submitWaitMs: config.relay.submitWaitMs,
    sponsor: {
      signer: { pubkey: FEE_PAYER, sign: () => Promise.reject(new Error('not signed')) },
      limits: config.sponsorship,
    },
  },
})
/** A client with an address of its own. */
export const client = perFile(() => clientAt('127.0.0.2', t.port))
beforeAll(() =>
  insertAgents(
    t.kysely,
    list(200, (i) => agentRow(`${i}`, i === 0 ? { owner: walletOf('owner').pubkey } : {})),
  ),
)

let labels = 0
/** A new name for each probe, because most limits count by client, wallet or key. */
export const label = (): string => `limits ${(labels += 1)}`
export const address = (): string => `2001:db8:${(labels += 1).toString(16)}::1`

export type Headers = Record<string, string>
export const post = (
  url: string,
  payload: object | string,
  headers: Headers = {},
  remoteAddress = address(),
) =>
  t.app.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { ...MCP_HEADERS, ...headers },
    payload,
  })
export const get = async (url: string): Promise<string> => answerOf(await t.app.inject(url))
export const send = async (...request: Parameters<typeof post>): Promise<string> =>
  answerOf(await post(...request))
/** Signs as a wallet of this name. */
export const sendAs = (name: string, url: string, payload: object | string): Promise<string> =>
  // Each signature is used once.
  send(url, payload, walletOf(name).headers('POST', url, (clock.time += 1_000)))
/** The outcome of the last of `count` requests. */
export async function last(count: number, request: (i: number) => Promise<string>): Promise<string> {
  for (let i = 0; i < count - 1; i += 1) expect(await request(i)).toBe('ok')
  return request(count - 1)
}
