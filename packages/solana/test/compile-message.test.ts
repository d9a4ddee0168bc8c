import { PublicKey, TransactionInstruction, TransactionMessage } from '@solana/web3.js'
import * as fc from '../../../test/support/property.ts'
import { expect, test } from 'vitest'
import { pubkeyFromBytes } from '../src/pubkey.ts'
import { compileMessage } from '../src/compile-message.ts'
import { isStaticWritable, parseMessage } from '../src/message.ts'

// Few keys, so that accounts repeat with other flags, and as payer and program.
const keys = Array.from({ length: 12 }, (_, i) => pubkeyFromBytes(new Uint8Array(32).fill(i + 1)))
const key = fc.constantFrom(...keys)
const instruction = fc.record({
  programId: fc.constantFrom(...keys.slice(1)),
  keys: fc.array(fc.record({ pubkey: key, isSigner: fc.boolean(), isWritable: fc.boolean() }), {
    maxLength: 8,
  }),
  data: fc.uint8Array({ maxLength: 300 }),
})
const BLOCKHASH = pubkeyFromBytes(new Uint8Array(32).fill(200))

test('messages are byte for byte those of web3.js', () => {
  fc.assert(
    fc.property(key, fc.array(instruction, { maxLength: 6 }), (payer, instructions) => {
      const theirs = new TransactionMessage({
        payerKey: new PublicKey(payer),
        recentBlockhash: BLOCKHASH,
        instructions: instructions.map(
          (each) =>
            new TransactionInstruction({
              programId: new PublicKey(each.programId),
              keys: each.keys.map((meta) => ({ ...meta, pubkey: new PublicKey(meta.pubkey) })),
              data: Buffer.from(each.data),
            }),
        ),
      }).compileToV0Message()
      expect(Buffer.from(compileMessage(payer, instructions, BLOCKHASH)).toString('hex')).toBe(
        Buffer.from(theirs.serialize()).toString('hex'),
      )
    }),
    { numRuns: 300 },
  )
})

test('an account is listed once, with every flag that any instruction requires', () => {
  const [payer, program, account] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]]
  const using = (isSigner: boolean, isWritable: boolean) => ({
    programId: program,
    keys: [{ pubkey: account, isSigner, isWritable }],
    data: new Uint8Array([7]),
  })
  const message = parseMessage(compileMessage(payer, [using(true, false), using(false, true)], BLOCKHASH))
  expect(message.staticKeys).toEqual([payer, account, program])
  expect(message.requiredSignatures).toBe(2)
  expect([0, 1, 2].map((i) => isStaticWritable(message, i))).toEqual([true, true, false])
})
