import { Connection, Keypair, type PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import { type Localnet, type LocalnetOptions, silentLogger, startLocalnet } from '../src/index.ts'

export interface JsonRpcAnswer {
  id: unknown
  result?: unknown
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

export interface TestLedger extends AsyncDisposable {
  readonly net: Localnet
  /** A plain web3.js client with commitment confirmed. */
  readonly connection: Connection
  readonly usdcMint: PublicKey
  rpc(method: string, params?: unknown[]): Promise<JsonRpcAnswer>
  post(body: string, headers?: Record<string, string>): Promise<Response>
  /** A new key with this confirmed balance. */
  wallet(sol?: number): Promise<Keypair>
  /** Sends a transaction and confirms it. */
  land(transaction: Transaction, signers: Keypair[]): Promise<string>
}

/** The header that the methods of the localnet need. */
export const CONTROL = { 'x-localnet-control': '1' }

/** A ledger whose slots pass only by `net.stepSlot()`, unless `slotMs` is given. */
export async function startTestLedger(options: Partial<LocalnetOptions> = {}): Promise<TestLedger> {
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
    connection,
    usdcMint: usdcMint.publicKey,
    post,
    rpc: async (method, params = []) => {
      const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), CONTROL)
      return (await response.json()) as JsonRpcAnswer
    },
    wallet: async (sol = 10) => {
      const wallet = Keypair.generate()
      await connection.requestAirdrop(wallet.publicKey, sol * 1e9)
      await settle()
      return wallet
    },
    [Symbol.asyncDispose]: () => net.close(),
    land: async (transaction, signers) => {
      const signature = await connection.sendTransaction(transaction, signers)
      await settle()
      return signature
    },
  }
}

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
