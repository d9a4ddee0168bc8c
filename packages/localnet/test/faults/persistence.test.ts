import { cpSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Connection, Keypair, type PublicKey } from '@solana/web3.js'
import { afterEach, expect, it } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { failure, startTestLedger, transfer } from '../ledger.ts'
import { spawnLedger } from '../ledger-process.ts'

const directories: string[] = []
const directory = (): string => {
  directories.push(mkdtempSync(join(tmpdir(), 'localnet-')))
  return directories.at(-1) ?? ''
}
afterEach(() => {
  for (const each of directories.splice(0)) rmSync(each, { recursive: true, force: true })
})

it('history, accounts, blockhashes and time survive a restart, and slots only increase', async () => {
  const dataDir = directory()
  const genesis = {
    faucet: Keypair.generate(),
    usdcMint: Keypair.generate(),
    usdcMintAuthority: Keypair.generate(),
  }
  const options = { dataDir, genesis }
  const owner = Keypair.generate()
  const read = async (connection: Connection) => ({
    genesisHash: await connection.getGenesisHash(),
    balance: await connection.getBalance(owner.publicKey),
    tokens: (await connection.getTokenAccountsByOwner(owner.publicKey, { mint: genesis.usdcMint.publicKey }))
      .value,
    signatures: (await connection.getSignaturesForAddress(owner.publicKey)).map((each) => each.signature),
  })
  const first = await startTestLedger(options)
  await first.connection.requestAirdrop(owner.publicKey, 3e9)
  await first.rpc('localnet_mintUsdc', [owner.publicKey.toBase58(), 12])
  await first.rpc('localnet_warp', [1_000_000])
  const landed = transfer(owner.publicKey, owner.publicKey, 1)
  const signature = await first.land(landed, [owner])
  const { blockhash } = await first.connection.getLatestBlockhash()
  const before = { seen: await read(first.connection), slot: first.net.slot }
  const shown = await first.connection.getTransaction(signature)
  const time = await first.connection.getBlockTime(first.net.slot - 1)
  await first.net.close()

  await using second = await startTestLedger(options)
  expect(await read(second.connection)).toEqual(before.seen)
  expect(await second.connection.getTransaction(signature)).toEqual(shown)
  expect(second.net.slot).toBeGreaterThan(before.slot)
  expect((await second.connection.isBlockhashValid(blockhash)).value).toBe(true)
  const again = await failure(second.connection.sendRawTransaction(landed.serialize()))
  expect(again.message).toContain('already been processed')
  await second.land(transfer(owner.publicKey, owner.publicKey, 2), [owner])
  expect(await second.connection.getBlockTime(second.net.slot - 1)).toBeGreaterThanOrEqual(time ?? Infinity)
  expect(await second.connection.getBlockTime(second.net.slot - 1)).toBeGreaterThan(
    Date.now() / 1000 + 900_000,
  )
})

it('a closed account stays closed', async () => {
  const dataDir = directory()
  const genesis = { faucet: Keypair.generate() }
  const owner = Keypair.generate()
  {
    await using ledger = await startTestLedger({ dataDir, genesis })
    await ledger.connection.requestAirdrop(owner.publicKey, 1e9)
    ledger.net.stepSlot()
    await ledger.land(transfer(owner.publicKey, Keypair.generate().publicKey, 1e9 - 5000), [owner])
  }
  await using ledger = await startTestLedger({ dataDir, genesis })
  expect(await ledger.connection.getAccountInfo(owner.publicKey)).toBeNull()
})

it('a fork survives a restart', async () => {
  const dataDir = directory()
  const to = Keypair.generate().publicKey
  const genesis = { faucet: Keypair.generate() }
  {
    await using ledger = await startTestLedger({ dataDir, genesis })
    await ledger.connection.requestAirdrop(to, 1e9)
    ledger.net.stepSlot(2)
    ledger.net.fault.fork()
    await ledger.connection.requestAirdrop(to, 5e9)
    ledger.net.stepSlot()
  }
  await using ledger = await startTestLedger({ dataDir, genesis })
  expect(await ledger.connection.getBalance(to)).toBe(5e9)
  expect(await ledger.connection.getSignaturesForAddress(to)).toHaveLength(1)
})

it('no slot number is used twice, not even that of a slot that a crash interrupted', async () => {
  const [dataDir, afterCrash] = [directory(), directory()]
  const genesis = { faucet: Keypair.generate() }
  await using ledger = await startTestLedger({ dataDir, genesis, finalizedDepth: 3 })
  ledger.net.stepSlot(4)
  const processed = await ledger.connection.requestAirdrop(Keypair.generate().publicKey, 1e9)
  const status = await ledger.connection.getSignatureStatus(processed)
  // A copy of the file now is what a crash would leave.
  for (const file of ['ledger.sqlite', 'ledger.sqlite-wal'])
    cpSync(join(dataDir, file), join(afterCrash, file))
  await using restarted = await startTestLedger({ dataDir: afterCrash, genesis, finalizedDepth: 3 })
  expect(restarted.net.slot).toBeGreaterThan(status.value?.slot ?? Infinity)
  expect((await restarted.connection.getSignatureStatus(processed)).value).toBeNull()
  expect(await restarted.connection.getSlot('finalized')).toBe(ledger.net.slot - 1)
})

it('no slot number is used twice after forks and a crash, also with a smaller finalizedDepth', async () => {
  const dataDir = directory()
  const genesis = { faucet: Keypair.generate() }
  let slot: number
  {
    await using ledger = await startTestLedger({ dataDir, genesis })
    ledger.net.stepSlot(60)
    for (let count = 0; count < 5; count += 1) ledger.net.fault.fork()
    slot = ledger.net.slot
    const afterCrash = directory()
    for (const file of ['ledger.sqlite', 'ledger.sqlite-wal'])
      cpSync(join(dataDir, file), join(afterCrash, file))
    await using restarted = await startTestLedger({ dataDir: afterCrash, genesis, finalizedDepth: 2 })
    expect(restarted.net.slot).toBeGreaterThan(slot)
  }
})

it('refuses a second process, and takes over from a process that was killed', async () => {
  const dataDir = directory()
  const faucet = Keypair.generate()
  const other = await spawnLedger(dataDir, faucet)
  const error = await failure(startTestLedger({ dataDir, genesis: { faucet } }))
  expect(error.name).toBe('LedgerInUseError')
  await other.kill()
  await using ledger = await startTestLedger({ dataDir, genesis: { faucet } })
  expect(ledger.net.slot).toBeGreaterThan(0)
})

interface Sent {
  readonly signature: string
  readonly to: PublicKey
  readonly lamports: number
}

/**
 * Sends until `stop`. Returns the transactions that the ledger confirmed, and all that were
 * sent.
 */
async function load(connection: Connection, targets: PublicKey[], stop: () => boolean) {
  const sent: Sent[] = []
  const confirmed = new Set<string>()
  while (!stop()) {
    const to = targets[sent.length % targets.length]
    if (to === undefined) throw new Error('no target')
    const lamports = 1e6 + sent.length
    try {
      sent.push({ signature: await connection.requestAirdrop(to, lamports), to, lamports })
      if (sent.length % 10 !== 0) continue
      const asked = sent.slice(-40).map((each) => each.signature)
      const { value } = await connection.getSignatureStatuses(asked)
      for (const [index, status] of value.entries()) {
        if (status?.confirmationStatus !== 'processed' && status !== null) confirmed.add(asked[index] ?? '')
      }
    } catch {
      // The process died in the middle of a call.
      if (!stop()) continue
    }
  }
  return { sent, confirmed }
}

it('loses no confirmed transaction when it is killed repeatedly under load', async () => {
  const dataDir = directory()
  const faucet = Keypair.generate()
  const targets = Array.from({ length: 5 }, () => Keypair.generate().publicKey)
  const all: Sent[] = []
  const confirmed = new Set<string>()
  for (let round = 0; round < 5; round += 1) {
    const ledger = await spawnLedger(dataDir, faucet)
    const connection = new Connection(ledger.rpcUrl, {
      commitment: 'confirmed',
      disableRetryOnRateLimit: true,
    })
    const start = await connection.getTransactionCount()
    let dead = false
    const work = load(connection, targets, () => dead)
    const landed = async (): Promise<number> => (await connection.getTransactionCount()) - start
    await eventually(async () => expect(await landed()).toBeGreaterThan(60 + 17 * round))
    await ledger.kill()
    dead = true
    const result = await work
    all.push(...result.sent)
    for (const signature of result.confirmed) confirmed.add(signature)
  }
  expect(confirmed.size).toBeGreaterThan(50)
  await using ledger = await startTestLedger({ dataDir, genesis: { faucet } })
  const { connection } = ledger
  const onLedger = new Set<string>()
  for (const to of targets) {
    const found = new Set((await connection.getSignaturesForAddress(to)).map((each) => each.signature))
    for (const signature of found) onLedger.add(signature)
    const expected = all
      .filter((each) => found.has(each.signature))
      .reduce((sum, each) => sum + each.lamports, 0)
    // An airdrop whose answer the kill cut off may have landed too, unknown to us: at most one for
    // each kill.
    const known = all.filter((each) => found.has(each.signature)).length
    expect(found.size - known).toBeLessThanOrEqual(5)
    const balance = await connection.getBalance(to)
    expect(found.size === known ? balance === expected : balance > expected).toBe(true)
  }
  expect([...confirmed].filter((signature) => !onLedger.has(signature))).toEqual([])
})

it('a torn end of the file is cut, and the ledger is complete up to an earlier slot', async () => {
  const dataDir = directory()
  const faucet = Keypair.generate()
  const to = Keypair.generate().publicKey
  const ledger = await spawnLedger(dataDir, faucet)
  const source = new Connection(ledger.rpcUrl, 'confirmed')
  for (let index = 0; index < 30; index += 1) {
    const signature = await source.requestAirdrop(to, 1e6)
    await eventually(async () => expect(await source.getTransaction(signature)).not.toBeNull())
  }
  await ledger.kill()
  const { size } = statSync(join(dataDir, 'ledger.sqlite-wal'))
  expect(size).toBeGreaterThan(10_000)
  const counts: number[] = []
  for (const share of [0.99, 0.9, 0.731, 0.5, 0.25]) {
    const copy = directory()
    cpSync(dataDir, copy, { recursive: true })
    truncateSync(join(copy, 'ledger.sqlite-wal'), Math.floor(size * share))
    await using torn = await startTestLedger({ dataDir: copy, genesis: { faucet } })
    const found = await torn.connection.getSignaturesForAddress(to)
    expect(await torn.connection.getBalance(to)).toBe(found.length * 1e6)
    counts.push(found.length)
    await torn.connection.requestAirdrop(to, 1e6)
    torn.net.stepSlot()
    expect(await torn.connection.getBalance(to)).toBe((found.length + 1) * 1e6)
  }
  expect(counts).toEqual(counts.toSorted((a, b) => b - a))
  expect(counts.at(-1)).toBeLessThan(30)
})
