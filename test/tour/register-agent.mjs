// Registers an agent and deposits 600 USDC with nothing but stock @solana/web3.js and a localnet's RPC.
import { createHash, randomBytes } from 'node:crypto'
import { Connection, Keypair, PublicKey, SystemProgram, Transaction, TransactionInstruction, sendAndConfirmTransaction } from '@solana/web3.js'

const [rpcUrl = 'http://127.0.0.1:8899', program = 'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'] = process.argv.slice(2)
const connection = new Connection(rpcUrl, 'confirmed')
const programId = new PublicKey(program)
const owner = Keypair.generate()
const pda = (...seeds) => PublicKey.findProgramAddressSync(seeds.map((s) => (typeof s === 'string' ? Buffer.from(s) : s.toBytes())), programId)[0]
const [config, agent] = [pda('config'), pda('agent', owner.publicKey)]
const stake = pda('stake', agent)
const text = (s) => Buffer.concat([Buffer.from(Uint32Array.of(Buffer.byteLength(s)).buffer), Buffer.from(s)])
const instruction = (name, keys, ...args) => new TransactionInstruction({ programId, data: Buffer.concat([createHash('sha256').update(`global:${name}`).digest().subarray(0, 8), ...args]), keys: keys.map(([pubkey, flags = '']) => ({ pubkey, isSigner: flags.includes('s'), isWritable: flags.includes('w') })) })
const rpc = async (method, ...params) => (await (await fetch(rpcUrl, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers: { 'content-type': 'application/json' } })).json()).result

await connection.confirmTransaction(await connection.requestAirdrop(owner.publicKey, 1e9))
const register = instruction('register_agent', [[owner.publicKey, 'sw'], [owner.publicKey, 's'], [agent, 'w'], [pda('deactivated', owner.publicKey)], [config], [SystemProgram.programId]], text('Tour Guide'), Buffer.of(1), text('https://tour.example.org/card.json'), randomBytes(32))
await sendAndConfirmTransaction(connection, new Transaction().add(register), [owner])

const usdcMint = new PublicKey((await connection.getAccountInfo(config)).data.subarray(40, 72))
await connection.confirmTransaction(await rpc('localnet_mintUsdc', owner.publicKey.toBase58(), 600e6))
const { value: [{ pubkey: ownerToken }] } = await connection.getTokenAccountsByOwner(owner.publicKey, { mint: usdcMint })
const tokenProgram = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const deposit = instruction('deposit', [[owner.publicKey, 'sw'], [owner.publicKey, 's'], [agent, 'w'], [stake, 'w'], [pda('vault', agent), 'w'], [ownerToken, 'w'], [usdcMint], [config], [tokenProgram], [SystemProgram.programId]], Buffer.from(BigUint64Array.of(600_000_000n).buffer))
await sendAndConfirmTransaction(connection, new Transaction().add(deposit), [owner])
console.log(agent.toBase58())
