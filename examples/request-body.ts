import { Connection, PublicKey, type TransactionInstruction } from '@solana/web3.js'
import { associatedTokenAccount, pubkey } from '@agent-registry/solana'
import {
  decodeAccount,
  type RegistryAccounts,
  registryAddresses,
  registryIdl,
  registryInstruction,
} from '@agent-registry/program'
// Prints the body of a prepare request:
//   request-body.ts register OWNER
//   request-body.ts sponsor OWNER INVITE_CODE GATEWAY_URL
//   request-body.ts deposit OWNER USDC RPC_URL
const [operation, ownerText = '', argument = '', url = ''] = process.argv.slice(2)
const program = pubkey(registryIdl.address)
const owner = pubkey(ownerText)

function register(payer: string): TransactionInstruction {
  const card = { agentCardUrl: 'https://example.org/card.json', agentCardHash: Buffer.alloc(32, 7) }
  const args = { name: 'Tour Guide', serviceCategory: 'other', ...card }
  return registryInstruction(program, 'register_agent', { payer: pubkey(payer), owner }, args)
}

async function deposit(usdc: string, rpcUrl: string): Promise<TransactionInstruction> {
  const addresses = registryAddresses(program)
  const info = await new Connection(rpcUrl, 'confirmed').getAccountInfo(new PublicKey(addresses.config()))
  const config = decodeAccount(info?.data ?? Buffer.alloc(0)) as { data: RegistryAccounts['RegistryConfig'] }
  const { usdcMint } = config.data
  const ownerToken = associatedTokenAccount(owner, usdcMint)
  const accounts = { payer: owner, owner, agent: addresses.agent(owner), ownerToken, usdcMint }
  return registryInstruction(program, 'deposit', accounts, { amount: BigInt(usdc) * 1_000_000n })
}

async function feePayer(gateway: string): Promise<string> {
  const health = (await (await fetch(`${gateway}/health/detailed`)).json()) as {
    feePayer: { pubkey: string }
  }
  return health.feePayer.pubkey
}

function json({ programId, keys, data }: TransactionInstruction): object {
  return {
    programId: programId.toBase58(),
    keys: keys.map(({ pubkey: key, ...flags }) => ({ pubkey: key.toBase58(), ...flags })),
    data: data.toString('base64'),
  }
}

const body =
  operation === 'sponsor'
    ? { instructions: [json(register(await feePayer(url)))], signerPubkey: owner, inviteCode: argument }
    : {
        instructions: [json(operation === 'deposit' ? await deposit(argument, url) : register(owner))],
        signerPubkeys: [owner],
      }
process.stdout.write(`${JSON.stringify(body)}\n`)
