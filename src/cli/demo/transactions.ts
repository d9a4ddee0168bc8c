import { createHash } from 'node:crypto'
import type { Keypair, TransactionInstruction } from '@solana/web3.js'
import { associatedTokenAccount, pubkey, type Pubkey } from '@agent-registry/solana'
import { registryAddresses, registryInstruction, USDC_UNIT } from '@agent-registry/program'
import type { LedgerRpc } from '../../ledger/rpc/ledger-rpc.ts'
import { type Api, signTransaction } from './api.ts'
import { waitFor } from '../wait.ts'

export interface Prepared {
  id: string
  serializedTx: string
  feePayer: string
}

export interface Sent {
  status: string
  signature: string
}

const DEPOSIT = 600n * USDC_UNIT
const FUNDS = { lamports: 1_000_000_000, usdc: 1_000n * USDC_UNIT }

/** Registers an agent. No card is hosted at its URL: the program requires https. */
export function registration(program: Pubkey, feePayer: Pubkey, owner: Pubkey): object {
  const args = {
    name: 'Demo Navigator',
    serviceCategory: 'logistics',
    agentCardUrl: 'https://navigator.example/agent-card.json',
    agentCardHash: createHash('sha256').update('the agent card').digest(),
  }
  return toJson(registryInstruction(program, 'register_agent', { payer: feePayer, owner }, args))
}

/** Funds the wallet with SOL and USDC, and deposits 600 USDC in a transaction that it pays for. */
export async function stake(options: {
  api: Api
  rpc: LedgerRpc
  program: Pubkey
  usdcMint: Pubkey
  wallet: Keypair
}): Promise<Sent> {
  const { api, rpc, program, usdcMint, wallet } = options
  const owner = pubkey(wallet.publicKey.toBase58())
  await rpc.call('requestAirdrop', [owner, FUNDS.lamports])
  await rpc.call('localnet_mintUsdc', [owner, Number(FUNDS.usdc)])
  const agent = registryAddresses(program).agent(owner)
  const ownerToken = associatedTokenAccount(owner, usdcMint)
  for (const account of [owner, ownerToken]) {
    await waitFor(`the funding of ${account}`, async () => {
      const { value } = await rpc.call<{ value: number }>('getBalance', [
        account,
        { commitment: 'confirmed' },
      ])
      return value > 0 ? value : null
    })
  }
  const accounts = { payer: owner, owner, agent, ownerToken, usdcMint }
  const instruction = registryInstruction(program, 'deposit', accounts, { amount: DEPOSIT })
  const { id, serializedTx } = await api.must<Prepared>('POST', '/relay/prepare', {
    instructions: [toJson(instruction)],
    signerPubkeys: [owner],
  })
  return api.must<Sent>('POST', '/relay/submit', { id, signedTx: signTransaction(serializedTx, wallet) })
}

function toJson({ programId, keys, data }: TransactionInstruction): object {
  return {
    programId: programId.toBase58(),
    keys: keys.map(({ pubkey: key, ...flags }) => ({ pubkey: key.toBase58(), ...flags })),
    data: data.toString('base64'),
  }
}
