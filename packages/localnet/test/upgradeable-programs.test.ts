import { readFileSync } from 'node:fs'
import {
  Keypair,
  PublicKey,
  SystemProgram,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js'
import { expect, it } from 'vitest'
import { PROGRAM_FILE } from '@agent-registry/program'
import { UPGRADEABLE_LOADER } from '@agent-registry/solana'
import { startTestLedger, type TestLedger } from './ledger.ts'

const LOADER = new PublicKey(UPGRADEABLE_LOADER)
const ELF = readFileSync(PROGRAM_FILE)
const CHUNK = 900
const BUFFER_HEADER = 37
// The registry program's error for an unknown instruction shows that it ran.
const RAN = { InstructionError: [0, { Custom: 6000 }] }
const CLOSED = { InstructionError: [0, 'UnsupportedProgramId'] }

interface Program {
  readonly id: PublicKey
  readonly data: PublicKey
}

function loaderInstruction(keys: [PublicKey, string][], data: Buffer): TransactionInstruction {
  const metas = keys.map(([pubkey, roles]) => ({
    pubkey,
    isSigner: roles.includes('s'),
    isWritable: roles.includes('w'),
  }))
  return new TransactionInstruction({ programId: LOADER, keys: metas, data })
}

function numbers(tag: number, ...values: [number, 4 | 8][]): Buffer {
  const buffers = [[tag, 4] as const, ...values].map(([value, bytes]) => {
    const buffer = Buffer.alloc(bytes)
    buffer.writeUInt32LE(value)
    return buffer
  })
  return Buffer.concat(buffers)
}

/** Uploads and deploys the registry program as a developer does. */
async function deploy({ connection, net }: TestLedger, payer: Keypair, program: Keypair): Promise<Program> {
  const [buffer, authority] = [Keypair.generate(), payer.publicKey]
  const [data] = PublicKey.findProgramAddressSync([program.publicKey.toBytes()], LOADER)
  const account = async (key: PublicKey, space: number): Promise<TransactionInstruction> =>
    SystemProgram.createAccount({
      fromPubkey: authority,
      newAccountPubkey: key,
      lamports: await connection.getMinimumBalanceForRentExemption(space),
      space,
      programId: LOADER,
    })
  const run = (signers: Keypair[], ...instructions: TransactionInstruction[]): Promise<string> =>
    connection.sendTransaction(new Transaction().add(...instructions), [payer, ...signers], {
      preflightCommitment: 'processed',
    })
  const initialize = loaderInstruction(
    [
      [buffer.publicKey, 'w'],
      [authority, ''],
    ],
    numbers(0),
  )
  await run([buffer], await account(buffer.publicKey, BUFFER_HEADER + ELF.length), initialize)
  const target: [PublicKey, string][] = [
    [buffer.publicKey, 'w'],
    [authority, 's'],
  ]
  for (let offset = 0; offset < ELF.length; offset += CHUNK) {
    const part = ELF.subarray(offset, offset + CHUNK)
    const write = Buffer.concat([numbers(1, [offset, 4], [part.length, 8]), part])
    await run([], loaderInstruction(target, write))
  }
  const deployment = loaderInstruction(
    [
      [authority, 'sw'],
      [data, 'w'],
      [program.publicKey, 'w'],
      [buffer.publicKey, 'w'],
      [SYSVAR_RENT_PUBKEY, ''],
      [SYSVAR_CLOCK_PUBKEY, ''],
      [SystemProgram.programId, ''],
      [authority, 's'],
    ],
    numbers(2, [ELF.length, 8]),
  )
  await run([program], await account(program.publicKey, 36), deployment)
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

/** The result of a call of the program at this commitment. */
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

it('jsonParsed shows a deployment, the program and its data', async () => {
  await using ledger = await startTestLedger()
  const payer = await ledger.wallet(100)
  const { id, data } = await deploy(ledger, payer, Keypair.generate())
  const authority = payer.publicKey.toBase58()
  const [deployment] = await ledger.connection.getSignaturesForAddress(id)
  const shown = await ledger.connection.getParsedTransaction(deployment?.signature ?? '')
  expect(shown?.transaction.message.instructions.at(-1)).toMatchObject({
    program: 'bpf-upgradeable-loader',
    parsed: {
      type: 'deployWithMaxDataLen',
      info: {
        maxDataLen: ELF.length,
        programAccount: id.toBase58(),
        programDataAccount: data.toBase58(),
        authority,
      },
    },
  })
  const { value } = await ledger.connection.getMultipleParsedAccounts([id, data])
  expect(value[0]?.data).toMatchObject({
    program: 'bpf-upgradeable-loader',
    parsed: { type: 'program', info: { programData: data.toBase58() } },
    space: 36,
  })
  expect(value[1]?.data).toMatchObject({
    parsed: { type: 'programData', info: { authority, data: [ELF.toString('base64'), 'base64'] } },
  })
})
