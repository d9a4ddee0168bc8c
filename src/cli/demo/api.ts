import { type Keypair, VersionedTransaction } from '@solana/web3.js'
import bs58 from 'bs58'
import nacl from 'tweetnacl'
import { CommandError } from '../command-error.ts'

export interface ApiResponse {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** A client for the documented paths. */
export interface Api {
  call(method: string, path: string, body?: object, wallet?: Keypair): Promise<ApiResponse>
  /** Returns the body. Throws if the response is not a success. */
  must<Body>(method: string, path: string, body?: object, wallet?: Keypair): Promise<Body>
}

export function createApi(baseUrl: string): Api {
  const call = async (
    method: string,
    path: string,
    body?: object,
    wallet?: Keypair,
  ): Promise<ApiResponse> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(wallet === undefined ? {} : signedHeaders(method, path, wallet)),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return {
    call,
    must: async <Body>(method: string, path: string, body?: object, wallet?: Keypair) => {
      const answer = await call(method, path, body, wallet)
      if (answer.status < 300) return answer.body as Body
      throw new CommandError(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    },
  }
}

/** The headers of wallet authentication. */
function signedHeaders(method: string, path: string, wallet: Keypair): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const pubkey = wallet.publicKey.toBase58()
  const message = `service-auth:${pubkey}:${timestamp}:${method}:${path.replace(/\?.*$/, '')}`
  return {
    'x-wallet-pubkey': pubkey,
    'x-wallet-timestamp': timestamp,
    'x-wallet-signature': bs58.encode(nacl.sign.detached(Buffer.from(message), wallet.secretKey)),
  }
}

/** Adds the wallet's signature to a prepared transaction. */
export function signTransaction(serializedTx: string, wallet: Keypair): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
  transaction.sign([wallet])
  return Buffer.from(transaction.serialize()).toString('base64')
}
