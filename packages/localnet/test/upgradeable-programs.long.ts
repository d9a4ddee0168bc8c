import { readFileSync } from 'node:fs'
import { Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js'
import { expect, it } from 'vitest'
import { PROGRAM_FILE } from '@agent-registry/program'
import { deployProgram, LOADER, loaderInstruction, numbers } from './deploy-program.ts'
import { startTestLedger, type TestLedger } from './ledger.ts'

const ELF = readFileSync(PROGRAM_FILE)
// The registry program's error for an unknown instruction shows that it ran.
const RAN = { InstructionError: [0, { Custom: 6000 }] }
const CLOSED = { InstructionError: [0, 'UnsupportedProgramId'] }

interface Program {
  readonly id: PublicKey
  readonly data: PublicKey
}

/** Uploads and deploys the registry program as a developer does. */
async function deploy({ connection, net }: TestLedger, payer: Keypair, program: Keypair): Promise<Program> {
  const data = await deployProgram(connection, payer, { program, elf: ELF })
  net.stepSlot()
  return { id: program.publicKey, data }
}

async function close(ledger: TestLedger, payer: Keypair, { id, data }: Program): Promise<void> {
  const keys: [PublicKey, string][] = [
    [data, 'w'],
    [payer.publicKey, 'w'],
    [payer.publicKey, 's'],
    [id, 'w'],
  ]
  await ledger.land(new Transaction().add(loaderInstruction(keys, numbers(5))), [payer])
}

async function called(
  ledger: TestLedger,
  payer: Keypair,
  id: PublicKey,
  commitment: string,
): Promise<unknown> {
  const transaction = new Transaction({
    feePayer: payer.publicKey,
    ...(await ledger.connection.getLatestBlockhash()),
  })
  transaction.add(new TransactionInstruction({ programId: id, keys: [], data: Buffer.from([255]) }))
  const wire = transaction.serialize({ verifySignatures: false }).toString('base64')
  const config = { encoding: 'base64', commitment, replaceRecentBlockhash: true }
  const { result } = await ledger.rpc('simulateTransaction', [wire, config])
  return (result as { value: { err: unknown } }).value.err
}

/** A key whose program account comes before, or after, its data account in a transaction. */
function programKey(isFirst: boolean): Keypair {
  for (;;) {
    const key = Keypair.generate()
    const [data] = PublicKey.findProgramAddressSync([key.publicKey.toBytes()], LOADER)
    if (key.publicKey.toBase58().localeCompare(data.toBase58()) < 0 === isFirst) return key
  }
}

it.each([true, false])(
  'deploys a program, closes it, and takes the closing back, program account first: %s',
  async (isFirst) => {
    await using ledger = await startTestLedger({ finalizedDepth: 4 })
    const payer = await ledger.wallet(100)
    const program = await deploy(ledger, payer, programKey(isFirst))
    expect(await called(ledger, payer, program.id, 'processed')).toEqual(RAN)
    ledger.net.stepSlot(4)
    await close(ledger, payer, program)
    expect(await called(ledger, payer, program.id, 'processed')).toEqual(CLOSED)
    expect(await called(ledger, payer, program.id, 'finalized')).toEqual(RAN)
    expect(await called(ledger, payer, program.id, 'processed')).toEqual(CLOSED)
    ledger.net.fault.fork()
    expect(await called(ledger, payer, program.id, 'processed')).toEqual(RAN)
  },
)

it('a fork removes a deployment', async () => {
  await using ledger = await startTestLedger()
  const payer = await ledger.wallet(100)
  ledger.net.stepSlot(33)
  const program = await deploy(ledger, payer, Keypair.generate())
  ledger.net.fault.fork()
  expect(await called(ledger, payer, program.id, 'processed')).toBe('ProgramAccountNotFound')
  expect(await ledger.connection.getAccountInfo(program.data, 'processed')).toBeNull()
})
