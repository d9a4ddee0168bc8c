import * as anchor from '@coral-xyz/anchor'
import * as anchor1 from '@anchor-lang/core'
import { Connection, Keypair, LAMPORTS_PER_SOL, type TransactionInstruction } from '@solana/web3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import { eventually } from '../support/eventually.ts'
import { addresses, keyOf } from '../support/ledger/registry-world.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { perFile } from '../support/lifetime.ts'
import { callJson } from '../support/http.ts'

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '0' }))
const connection = perFile(() => new Connection(gateway.runtime.rpcUrl, 'confirmed'))

const confirmed = (signature: string) => connection.confirmTransaction(signature, 'confirmed')

interface Method {
  accounts(accounts: Record<string, unknown>): Method
  accountsPartial(accounts: Record<string, unknown>): Method
  instruction(): Promise<TransactionInstruction>
  rpc(): Promise<string>
}
interface StockProgram {
  methods: Record<string, (...args: unknown[]) => Method>
  coder: { events: { decode(data: string): { name: string; data: unknown } | null } }
  addEventListener(name: string, listener: (event: Record<string, unknown>) => void): number
  removeEventListener(id: number): Promise<void>
}
interface StockError {
  error: { errorCode: { code: string; number: number }; errorMessage: string; origin?: unknown }
}

const clients = { '@coral-xyz/anchor 0.32': anchor, '@anchor-lang/core 1.2': anchor1 }

describe.each(Object.entries(clients))('%s', (_, { AnchorError, AnchorProvider, Program, Wallet }) => {
  const keypair = Keypair.generate()
  const owner = keypair.publicKey
  const agent = addresses.agent(keyOf(keypair))
  let program: StockProgram

  beforeAll(async () => {
    await confirmed(await connection.requestAirdrop(owner, LAMPORTS_PER_SOL))
    const idl = await (await fetch(`${gateway.runtime.baseUrl}/idl.json`)).json()
    const provider = new AnchorProvider(connection, new Wallet(keypair), { commitment: 'confirmed' })
    program = new Program(idl, provider)
  })

  const registration = () =>
    program.methods.registerAgent!(
      'Stock client',
      { research: {} },
      'https://agents.example.org/card.json',
      Array.from({ length: 32 }, () => 7),
    ).accounts({ payer: owner, owner })
  const suspension = (accounts: object = {}) =>
    program.methods.suspendAgent!().accountsPartial({ authority: owner, agent, ...accounts })

  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    )

  test('fills in event_authority and program', async () => {
    const { keys } = await registration().instruction()
    expect(keys.slice(-2).map(({ pubkey }) => pubkey.toBase58())).toEqual([
      addresses.eventAuthority(),
      addresses.programId,
    ])
  })

  test('registers an agent, its listener gets the event, and it decodes the event instruction', async () => {
    const heard: Record<string, unknown>[] = []
    const listener = program.addEventListener('agentRegistered', (event) => heard.push(event))
    const signature = await registration().rpc()
    await eventually(() => expect(heard).toHaveLength(1))
    await program.removeEventListener(listener)
    expect(String(heard[0]?.agent)).toBe(agent)
    const transaction = await connection.getTransaction(signature, {
      commitment: 'confirmed',
      maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
    })
    const inner = transaction!.meta!.innerInstructions!.flatMap((group) => group.instructions)
    const decoded = inner
      .map(({ data }) => Buffer.from(anchor.utils.bytes.bs58.decode(data)).subarray(8).toString('base64'))
      .map((data) => program.coder.events.decode(data))
      .filter((event) => event !== null)
    expect(decoded).toEqual([{ name: 'agentRegistered', data: heard[0] }])
  })

  test('shows the name, number and message of an error', async () => {
    await suspension().rpc()
    const error = (await failureOf(suspension().rpc())) as StockError
    expect(error).toBeInstanceOf(AnchorError)
    expect(error.error).toMatchObject({
      errorCode: { code: 'AgentNotActive', number: 6026 },
      errorMessage: 'The agent is not active',
    })
  })

  test('shows the account that an error is about', async () => {
    const wrong = Keypair.generate().publicKey
    const failure = (await failureOf(suspension({ eventAuthority: wrong }).rpc())) as StockError
    expect(failure.error).toMatchObject({
      errorCode: { code: 'InvalidPda', number: 6004 },
      origin: 'event_authority',
    })
  })

  test('parses the logs in the response of POST /relay/prepare', async () => {
    const { programId, keys, data } = await suspension().instruction()
    const instruction = {
      programId: programId.toBase58(),
      keys: keys.map(({ pubkey, isSigner }) => ({ pubkey: pubkey.toBase58(), isSigner, isWritable: false })),
      data: data.toString('base64'),
    }
    const { status, body } = await callJson<{ message: string; logs: string[] }>(
      `${gateway.runtime.baseUrl}/relay/prepare`,
      { instructions: [instruction], signerPubkeys: [owner.toBase58()] },
    )
    expect(status).toBe(422)
    expect(body.message).toBe('Instruction 0: NotWritable: An account must be writable. Account: agent')
    expect(
      (AnchorError as { parse(logs: string[]): StockError | null }).parse(body.logs)?.error,
    ).toMatchObject({
      errorCode: { code: 'NotWritable', number: 6003 },
      errorMessage: 'An account must be writable',
      origin: 'agent',
    })
  })
})
