import { afterAll, beforeAll } from 'vitest'
import { Connection, Keypair, type PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import { type LocalnetOptions, silentLogger, startLocalnet } from '../src/index.ts'

export interface JsonRpcAnswer {
  id: unknown
  result?: unknown
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

/** The header that the methods of the localnet need. */
export const CONTROL = { 'x-localnet-control': '1' }

/** A ledger whose slots pass only by `net.stepSlot()`, unless `slotMs` is given. */
export async function startTestLedger(options: Partial<LocalnetOptions> = {}) {
  const usdcMint = Keypair.generate()
  const net = await startLocalnet({
    dataDir: null,
    slotMs: 0,
    logger: silentLogger,
    genesis: { faucet: Keypair.generate(), usdcMint, usdcMintAuthority: Keypair.generate() },
    ...options,
  })
  const connection = new Connection(net.rpcUrl, { commitment: 'confirmed', disableRetryOnRateLimit: true })
  const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(net.rpcUrl, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  const settle = async (): Promise<void> => {
    if (options.slotMs === undefined) net.stepSlot()
  }
  return {
    net,
    /** A plain web3.js client with commitment confirmed. */
    connection,
    usdcMint: usdcMint.publicKey,
    post,
    rpc: async (method: string, params: unknown[] = []): Promise<JsonRpcAnswer> => {
      const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), CONTROL)
      return response.json() as Promise<JsonRpcAnswer>
    },
    /** A new key with this confirmed balance. */
    wallet: async (sol = 10) => {
      const wallet = Keypair.generate()
      await connection.requestAirdrop(wallet.publicKey, sol * 1e9)
      await settle()
      return wallet
    },
    [Symbol.asyncDispose]: () => net.close(),
    close: () => net.close(),
    land: async (transaction: Transaction, signers: Keypair[]) => {
      const signature = await connection.sendTransaction(transaction, signers)
      await settle()
      return signature
    },
  }
}
export type TestLedger = Awaited<ReturnType<typeof startTestLedger>>

export function transfer(from: PublicKey, to: PublicKey, lamports: number): Transaction {
  return new Transaction().add(SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports }))
}

/** The message and data of the error that a promise fails with. */
export async function failure(promise: Promise<unknown>): Promise<Error & { code?: number; data?: unknown }> {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  throw new Error('did not fail')
}

/** The ledger of a test file. */
export function useTestLedger(options?: Partial<LocalnetOptions>): TestLedger {
  let ledger: TestLedger | undefined
  beforeAll(async () => void (ledger = await startTestLedger(options)))
  afterAll(() => ledger?.net.close())
  return new Proxy({} as TestLedger, { get: (_, name) => Reflect.get(ledger!, name) as unknown })
}
