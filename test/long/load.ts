import { createHash } from 'node:crypto'
import { Connection, Keypair, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import { pubkey } from '@agent-registry/solana'
import { registryIdl, registryInstruction } from '@agent-registry/program'
import { keyOf } from '../../src/platform/keys.ts'

const PROGRAM = pubkey(registryIdl.address)

/**
 * Registrations and updates by new wallets, as fast as the node accepts them. `confirmed` are those
 * that the node reported as confirmed, and `ended` ends when it no longer responds.
 */
export function startLoad(rpcUrl: string, payer: Keypair, workers = 4) {
  const connection = new Connection(rpcUrl, { commitment: 'confirmed', disableRetryOnRateLimit: true })
  const confirmed = new Set<string>()
  const work = async (): Promise<void> => {
    for (;;) await registerOne(connection, payer, confirmed)
  }
  const ended = Promise.allSettled(Array.from({ length: workers }, work)).then(() => undefined)
  return { confirmed, ended }
}

async function registerOne(connection: Connection, payer: Keypair, confirmed: Set<string>): Promise<void> {
  const owner = Keypair.generate()
  const name = `Load ${keyOf(owner).slice(0, 8)}`
  const instructions = [
    registryInstruction(
      PROGRAM,
      'register_agent',
      { payer: keyOf(payer), owner: keyOf(owner) },
      {
        name,
        serviceCategory: 'other',
        agentCardUrl: `https://load.example.org/${name.slice(5)}.json`,
        agentCardHash: createHash('sha256').update(name).digest(),
      },
    ),
    registryInstruction(PROGRAM, 'update_agent', { owner: keyOf(owner) }, { version: '1.0.0' }),
  ]
  const { blockhash } = await connection.getLatestBlockhash('processed')
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions,
  })
  const transaction = new VersionedTransaction(message.compileToV0Message())
  transaction.sign([payer, owner])
  const signature = await connection.sendTransaction(transaction, { skipPreflight: true })
  for (;;) {
    const { value } = await connection.getSignatureStatus(signature)
    if (value?.confirmationStatus !== undefined && value.confirmationStatus !== 'processed') break
  }
  confirmed.add(signature)
}
