import { Connection, Keypair, PublicKey, sendAndConfirmTransaction, Transaction } from '@solana/web3.js'
import { associatedTokenAccount, pubkey } from '@agent-registry/solana'
import {
  decodeAccount,
  type RegistryAccounts,
  registryAddresses,
  registryIdl,
  registryInstruction,
} from '@agent-registry/program'
import { createLocalnetRpc } from '../src/ledger/rpc/ledger-rpc.ts'

// register-agent.ts [RPC_URL] [PROGRAM_ID]: registers an agent and deposits a stake directly on a
// localnet, without the gateway. Prints the address of the agent.
const [url = 'http://127.0.0.1:8899', program = registryIdl.address] = process.argv.slice(2)
const connection = new Connection(url, 'confirmed')
const [programId, wallet] = [pubkey(program), Keypair.generate()]
const addresses = registryAddresses(programId)
const owner = pubkey(wallet.publicKey.toBase58())
const send = async (name: string, accounts: object, args: object): Promise<unknown> => {
  const instruction = registryInstruction(programId, name, { payer: owner, owner, ...accounts }, { ...args })
  return sendAndConfirmTransaction(connection, new Transaction().add(instruction), [wallet])
}

const card = { agentCardUrl: 'https://example.org/card.json', agentCardHash: Buffer.alloc(32, 7) }
await connection.confirmTransaction(await connection.requestAirdrop(wallet.publicKey, 1e9))
await send('register_agent', {}, { name: 'Tour Guide', serviceCategory: 'other', ...card })
const mint = await createLocalnetRpc(url).call<string>('localnet_mintUsdc', [owner, 600_000_000])
await connection.confirmTransaction(mint)
const info = await connection.getAccountInfo(new PublicKey(addresses.config()))
const config = decodeAccount(info?.data ?? Buffer.alloc(0)) as { data: RegistryAccounts['RegistryConfig'] }
const { usdcMint } = config.data
const ownerToken = associatedTokenAccount(owner, usdcMint)
await send('deposit', { ownerToken, usdcMint }, { amount: 600_000_000n })
process.stdout.write(`${addresses.agent(owner)}\n`)
