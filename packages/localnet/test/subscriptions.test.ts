import { once } from 'node:events'
import {
  type AccountInfo,
  type Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
} from '@solana/web3.js'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../../../test/support/eventually.ts'
import { type JsonRpcAnswer, startTestLedger, transfer, useTestLedger } from './ledger.ts'

const TOKEN_PROGRAM = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')

const ledger = useTestLedger({ finalizedDepth: 3 })

/** Subscribes and waits until the server knows it; web3.js does not report that. */
async function listening<T>(
  subscribe: (see: (value: T) => void) => number,
): Promise<{ seen: T[]; id: number }> {
  const seen: T[] = []
  const id = subscribe((value) => seen.push(value))
  const { connection } = ledger
  await eventually(() => expect(subscriptionState(connection, id)).toBe('subscribed'))
  return { seen, id }
}

function subscriptionState(connection: Connection, id: number): string | undefined {
  const internals = connection as unknown as {
    _subscriptionHashByClientSubscriptionId: Record<number, string>
    _subscriptionsByHash: Record<string, { state: string }>
  }
  return internals._subscriptionsByHash[internals._subscriptionHashByClientSubscriptionId[id] ?? '']?.state
}

it('notifies of logs that mention the key, at the commitment, also of failed transactions', async () => {
  const { connection, net } = ledger
  const [from, other] = [await ledger.wallet(), await ledger.wallet()]
  const { seen } = await listening<{ signature: string; err: unknown }>((see) =>
    connection.onLogs(from.publicKey, see, 'confirmed'),
  )
  await connection.sendTransaction(transfer(other.publicKey, other.publicKey, 1), [other])
  const good = await connection.sendTransaction(transfer(from.publicKey, other.publicKey, 5), [from])
  const bad = await connection.sendTransaction(transfer(from.publicKey, other.publicKey, 1e12), [from], {
    skipPreflight: true,
  })
  expect(seen).toEqual([])
  net.stepSlot()
  await eventually(() => expect(seen).toHaveLength(2))
  expect(seen.map((each) => each.signature)).toEqual([good, bad])
  expect(seen[1]?.err).toEqual({ InstructionError: [0, { Custom: 1 }] })
})

it('notifies of an account with its state at each commitment', async () => {
  const { connection, net } = ledger
  const from = await ledger.wallet()
  const to = Keypair.generate().publicKey
  const watch = (commitment: 'processed' | 'finalized') =>
    listening<number>((see) =>
      connection.onAccountChange(to, ({ lamports }) => see(lamports), { commitment }),
    )
  const [processed, finalized] = [await watch('processed'), await watch('finalized')]
  await connection.sendTransaction(transfer(from.publicKey, to, 1e9), [from])
  net.stepSlot()
  await connection.sendTransaction(transfer(from.publicKey, to, 2e9), [from])
  await eventually(() => expect(processed.seen).toEqual([1e9, 3e9]))
  expect(finalized.seen).toEqual([])
  net.stepSlot(2)
  await eventually(() => expect(finalized.seen).toEqual([1e9]))
  net.stepSlot()
  await eventually(() => expect(finalized.seen).toEqual([1e9, 3e9]))
})

it('notifies of program accounts that pass the filters, until unsubscribed', async () => {
  const { connection, net } = ledger
  const [mine, other] = [await ledger.wallet(), await ledger.wallet()]
  const filters = [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: mine.publicKey.toBase58() } }]
  const { seen, id } = await listening<{ accountInfo: AccountInfo<Buffer> }>((see) =>
    connection.onProgramAccountChange(TOKEN_PROGRAM, see, { commitment: 'confirmed', filters }),
  )
  const mint = async (amount: number): Promise<void> => {
    for (const owner of [other, mine])
      await ledger.rpc('localnet_mintUsdc', [owner.publicKey.toBase58(), amount])
    net.stepSlot()
  }
  await mint(9)
  await eventually(() => expect(seen).toHaveLength(1))
  expect(seen[0]?.accountInfo.data.readBigUInt64LE(64)).toBe(9n)
  await connection.removeProgramAccountChangeListener(id)
  await mint(9)
  const { seen: slots } = await listening<unknown>((see) => connection.onSlotChange(see))
  net.stepSlot()
  await eventually(() => expect(slots).toHaveLength(1))
  expect(seen).toHaveLength(1)
})

it('notifies once of a signature, also if the subscription comes later', async () => {
  const { connection, net } = ledger
  const from = await ledger.wallet()
  const signature = await connection.sendTransaction(transfer(from.publicKey, from.publicKey, 1), [from])
  const { seen } = await listening<unknown>((see) => connection.onSignature(signature, see, 'confirmed'))
  expect(seen).toEqual([])
  net.stepSlot()
  await eventually(() => expect(seen).toEqual([{ err: null }]))
  const late: unknown[] = []
  connection.onSignature(signature, (result) => late.push(result), 'confirmed')
  await eventually(() => expect(late).toEqual([{ err: null }]))
})

it('notifies of slots and roots', async () => {
  const { connection, net } = ledger
  const slots = await listening<{ slot: number; parent: number; root: number }>((see) =>
    connection.onSlotChange(see),
  )
  const roots = await listening<number>((see) => connection.onRootChange(see))
  const { slot } = net
  net.stepSlot(2)
  await eventually(() => expect(roots.seen).toEqual([slot - 2, slot - 1]))
  expect(slots.seen).toEqual([
    { slot: slot + 1, parent: slot, root: slot - 2 },
    { slot: slot + 2, parent: slot + 1, root: slot - 1 },
  ])
})

it('reports a closed account as an account of the system program without lamports', async () => {
  const { connection, net } = ledger
  const from = await ledger.wallet(1)
  const { seen } = await listening<AccountInfo<Buffer>>((see) =>
    connection.onAccountChange(from.publicKey, see, { commitment: 'confirmed' }),
  )
  await connection.sendTransaction(transfer(from.publicKey, Keypair.generate().publicKey, 1e9 - 5000), [from])
  net.stepSlot()
  await eventually(() => expect(seen).toHaveLength(1))
  expect(seen[0]).toMatchObject({ lamports: 0, owner: SystemProgram.programId })
})

it('notifies of the accounts that a failed transaction changed: only its payer', async () => {
  const [from, to] = [await ledger.wallet(1), Keypair.generate().publicKey]
  const watch = (key: PublicKey): ReturnType<typeof listening> =>
    listening((see) => ledger.connection.onAccountChange(key, see, { commitment: 'processed' }))
  const [payer, target] = [await watch(from.publicKey), await watch(to)]
  await ledger.connection.sendTransaction(transfer(from.publicKey, to, 5e9), [from], { skipPreflight: true })
  await ledger.land(transfer(from.publicKey, to, 1e8), [from])
  await eventually(() => expect(payer.seen).toHaveLength(2))
  await eventually(() => expect(target.seen).toHaveLength(1))
})

it('limits subscriptions over all connections, and frees those of a closed one', async () => {
  await using own = await startTestLedger()
  const open = async (): Promise<WebSocket> => {
    const socket = new WebSocket(own.net.wsUrl)
    await once(socket, 'open')
    return socket
  }
  const ask = async (socket: WebSocket, calls: number): Promise<JsonRpcAnswer[]> => {
    const call = { jsonrpc: '2.0', id: 1, method: 'slotSubscribe' }
    socket.send(JSON.stringify(Array.from({ length: calls }, () => call)))
    const [data] = (await once(socket, 'message')) as [Buffer]
    return JSON.parse(data.toString()) as JsonRpcAnswer[]
  }
  const [first, second] = [await open(), await open()]
  for (let batch = 0; batch < 20; batch += 1) await ask(first, 500)
  const [refused] = await ask(second, 1)
  expect(refused?.error).toMatchObject({ code: -32603, message: expect.stringContaining('limit reached') })
  first.terminate()
  await eventually(async () => expect((await ask(second, 1))[0]?.error).toBeUndefined())
})

it('disconnects a client that does not read, and does not buffer everything for it', async () => {
  const { connection, net } = ledger
  const payer = await ledger.wallet(1000)
  const account = Keypair.generate()
  const space = 1_000_000
  const create = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: account.publicKey,
    lamports: await connection.getMinimumBalanceForRentExemption(space),
    space,
    programId: SystemProgram.programId,
  })
  await ledger.land(new Transaction().add(create), [payer, account])
  const socket = new WebSocket(net.wsUrl)
  await new Promise((resolve) => socket.once('open', resolve))
  const params = [account.publicKey.toBase58(), { encoding: 'base64', commitment: 'processed' }]
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'accountSubscribe', params }))
  await new Promise((resolve) => socket.once('message', resolve))
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined)
  socket.pause()
  for (let index = 0; index < 40; index += 1) {
    await connection.sendTransaction(transfer(payer.publicKey, account.publicKey, 1e6 + index), [payer])
  }
  socket.resume()
  expect([1006, 1013]).toContain(await closed)
})
