import { readFileSync } from 'node:fs'
import { Keypair, type PublicKey, TransactionInstruction } from '@solana/web3.js'
import { HOSTILE_FILE } from '../hostile-program/build.ts'
import { keyOf } from './registry-world.ts'

const program = Keypair.generate()

/** The hostile program for a localnet's genesis. */
export const hostileProgram = {
  programId: keyOf(program),
  elf: readFileSync(HOSTILE_FILE),
  authority: keyOf(program),
}

export type HostileStep =
  | { data: Uint8Array }
  | { text: string }
  /** Lines of 100 bytes. The runtime keeps 10,000 bytes of logs per transaction. */
  | { noise: number }
  | { invoke: TransactionInstruction }
  | { fail: true }

type Keys = TransactionInstruction['keys']

/** An instruction that makes the hostile program take these steps. */
export function hostile(steps: HostileStep[]): TransactionInstruction {
  const keys: Keys = []
  for (const step of steps)
    if ('invoke' in step) {
      for (const key of step.invoke.keys) merge(keys, key)
      merge(keys, { pubkey: step.invoke.programId, isSigner: false, isWritable: false })
    }
  const data = Buffer.concat(steps.map((step) => encode(step, keys)))
  return new TransactionInstruction({ programId: program.publicKey, keys, data })
}

function merge(keys: Keys, key: Keys[number]): void {
  const known = keys[indexOf(keys, key.pubkey)]
  if (known === undefined) keys.push({ ...key })
  else {
    known.isSigner ||= key.isSigner
    known.isWritable ||= key.isWritable
  }
}

const indexOf = (keys: Keys, pubkey: PublicKey): number => keys.findIndex((key) => key.pubkey.equals(pubkey))

function encode(step: HostileStep, keys: Keys): Buffer {
  if ('data' in step) return sized('D', step.data)
  if ('text' in step) return sized('T', Buffer.from(step.text))
  if ('noise' in step) return Buffer.concat([Buffer.from('N'), u16(step.noise)])
  if ('fail' in step) return Buffer.from('F')
  const { programId, keys: metas, data } = step.invoke
  const accounts = metas.flatMap((meta) => [
    indexOf(keys, meta.pubkey),
    (meta.isSigner ? 1 : 0) + (meta.isWritable ? 2 : 0),
  ])
  const head = Buffer.from([0x49, indexOf(keys, programId), metas.length, ...accounts])
  return Buffer.concat([head, u16(data.length), data])
}

const sized = (op: string, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(op), u16(bytes.length), bytes])

function u16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16LE(value)
  return buffer
}
