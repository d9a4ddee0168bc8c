import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Keypair, PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js'
import { address, getTransactionDecoder, lamports } from '@solana/kit'
import { Clock, FailedTransactionMetadata, type InnerInstruction, LiteSVM, Rent } from 'litesvm'
import { type AccountImage, deploymentAccounts, pubkey, type Pubkey } from '@agent-registry/solana'
import { decodeEvent, eventBytes, programErrorName, type RegistryEvent } from '../../src/codec.ts'

const ELF = readFileSync(new URL('../../registry.so', import.meta.url))
const SYSTEM = pubkey('11111111111111111111111111111111')
const START = 1_790_000_000n

export interface Outcome {
  /**
   * The IDL's name of the error, `custom N` for another program's, or the VM's words; null on
   * success.
   */
  error: string | null
  logs: string[]
  /** Those in the inner instructions. */
  events: RegistryEvent[]
  /** Those in the logs, which the VM truncates. */
  loggedEvents: RegistryEvent[]
  computeUnits: bigint
}

export interface StoredAccount {
  owner: Pubkey
  lamports: bigint
  data: Uint8Array
}

/** The Solana VM with the registry program deployed by the upgradeable loader. */
export class Vm {
  readonly programId: Pubkey
  private readonly svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n)

  constructor(programId: Pubkey, authority: Pubkey) {
    this.programId = programId
    const { program, programData } = deploymentAccounts({ programId, elf: ELF, authority, slot: 0n })
    this.put(programData)
    this.put(program)
    this.now = START
  }

  /** Unix seconds. */
  get now(): bigint {
    return this.svm.getClock().unixTimestamp
  }

  set now(seconds: bigint) {
    this.setClock(this.slot, seconds)
  }

  get slot(): bigint {
    return this.svm.getClock().slot
  }

  set slot(slot: bigint) {
    this.setClock(slot, this.now)
  }

  /** Writes an account without any check. Default of `lamports`: the rent-exempt minimum. */
  put(image: AccountImage & { lamports?: bigint }): void {
    this.svm.setAccount({
      address: address(image.address),
      programAddress: address(image.owner),
      executable: image.executable,
      data: image.data,
      space: BigInt(image.data.length),
      lamports: lamports(image.lamports ?? this.rent(image.data.length)),
    })
  }

  /**
   * Lamports per byte and the factor on top of it, as clusters have had them at different times.
   */
  setRent(lamportsPerByte: bigint, threshold: number): void {
    this.svm.setRent(new Rent(lamportsPerByte, threshold, 50))
  }

  rent(size: number): bigint {
    return this.svm.minimumBalanceForRentExemption(BigInt(size))
  }

  account(key: Pubkey): StoredAccount | null {
    const found = this.svm.getAccount(address(key))
    if (!found.exists) return null
    return {
      owner: pubkey(found.programAddress),
      lamports: found.lamports,
      data: Uint8Array.from(found.data),
    }
  }

  /** Changes the data of an account, or replaces its data or owner. Returns the old data. */
  edit(key: Pubkey, change: (data: Buffer) => Partial<StoredAccount> | void): Uint8Array {
    const stored = this.account(key)
    if (stored === null) throw new Error(`no account ${key}`)
    const data = Buffer.from(stored.data)
    this.put({ ...stored, data, address: key, executable: false, ...change(data) })
    return stored.data
  }

  lamportsOf(key: Pubkey): bigint {
    return this.svm.getBalance(address(key)) ?? 0n
  }

  airdrop(key: Pubkey, amount: bigint): void {
    this.svm.airdrop(address(key), lamports(amount))
  }

  /**
   * Gives an address that has no account lamports, even fewer than a transaction could leave there.
   */
  prefund(key: Pubkey, amount: bigint): void {
    this.put({ address: key, owner: SYSTEM, executable: false, data: new Uint8Array(), lamports: amount })
  }

  private setClock(slot: bigint, seconds: bigint): void {
    const { epochStartTimestamp, epoch, leaderScheduleEpoch } = this.svm.getClock()
    this.svm.setClock(new Clock(slot, epochStartTimestamp, epoch, leaderScheduleEpoch, seconds))
  }

  /** Sends one transaction. The first signer pays the fee. */
  send(instructions: TransactionInstruction[], signers: [Keypair, ...Keypair[]]): Outcome {
    const transaction = new Transaction({
      feePayer: signers[0].publicKey,
      recentBlockhash: PublicKey.default.toBase58(),
    }).add(...instructions)
    const result = this.svm.sendTransaction(getTransactionDecoder().decode(signed(transaction, signers)))
    const failed = result instanceof FailedTransactionMetadata
    const meta = failed ? result.meta() : result
    const logs = meta.logs()
    return {
      error: failed ? failureOf(result, logs) : null,
      logs,
      events: failed ? [] : meta.innerInstructions().flat().flatMap(eventIn),
      loggedEvents: logs.flatMap(loggedEvent),
      computeUnits: meta.computeUnitsConsumed(),
    }
  }
}

/** The wire form of the transaction. Node signs many times faster than web3.js. */
function signed(transaction: Transaction, signers: Keypair[]): Uint8Array {
  const message = transaction.compileMessage()
  const bytes = message.serialize()
  const signatures = message.accountKeys.slice(0, message.header.numRequiredSignatures).map((key) => {
    const signer = signers.find(({ publicKey }) => publicKey.equals(key))
    if (signer === undefined) throw new Error(`no key of ${key.toBase58()}`)
    return sign(null, bytes, privateKeyOf(signer))
  })
  return Buffer.concat([Buffer.of(signatures.length), ...signatures, bytes])
}

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

function privateKeyOf({ secretKey }: Keypair) {
  const key = Buffer.concat([PKCS8_ED25519, secretKey.subarray(0, 32)])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

const EVENT_LINE = 'Program data: '

function eventIn(inner: InnerInstruction): RegistryEvent[] {
  const bytes = eventBytes(inner.instruction().data())
  const event = bytes === null ? null : decodeEvent(bytes)
  return event === null ? [] : [event]
}

function loggedEvent(line: string): RegistryEvent[] {
  if (!line.startsWith(EVENT_LINE)) return []
  const event = decodeEvent(Uint8Array.from(Buffer.from(line.slice(EVENT_LINE.length), 'base64')))
  return event === null ? [] : [event]
}

function failureOf(result: FailedTransactionMetadata, logs: string[]): string {
  const code = logs.join('\n').match(/custom program error: 0x([0-9a-f]+)/)?.[1]
  if (code === undefined) return result.toString()
  const number = Number.parseInt(code, 16)
  return programErrorName(number) ?? `custom ${number}`
}
