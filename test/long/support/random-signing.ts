import { type AddressLookupTableAccount, ComputeBudgetProgram, VersionedTransaction } from '@solana/web3.js'
import nacl from 'tweetnacl'
import { addresses, keyOf } from '../../support/ledger/registry-world.ts'
import { meta, publicKey } from '../../support/transactions/parties.ts'
import { editBytes, type RandomSigning } from '../../support/transactions/random-cases.ts'
import type { Participants } from './random-requests.ts'
import {
  assertion,
  signChanged,
  decompile,
  stealingAssertion,
} from '../../support/transactions/changed-transactions.ts'
import { tableOf, TAMPERINGS } from '../../support/transactions/tampering.ts'
import { signed } from '../../support/transactions/relay-world.ts'

/**
 * What a case submits for a prepared transaction, in base64. Null if no transaction can be built.
 */
export function signCase(
  signing: RandomSigning,
  serializedTx: string,
  cast: Participants,
  another: string | null,
): string | null {
  const { wallet, stranger } = cast
  const change = (edit: Parameters<typeof signChanged>[2], tables?: AddressLookupTableAccount[]): string =>
    signChanged(serializedTx, [wallet, stranger], edit, tables === undefined ? {} : { tables })
  try {
    switch (signing.kind) {
      case 'as prepared':
        return signed({ serializedTx }, wallet)
      case 'another transaction':
        return another ?? signed({ serializedTx }, wallet)
      case 'cheaper':
        return change(({ instructions: [limit, price, ...own] }) => ({
          instructions: [
            ComputeBudgetProgram.setComputeUnitLimit({
              units: percent(Buffer.from(limit?.data ?? []).readUInt32LE(1), 80 + (signing.limit % 21)),
            }),
            ComputeBudgetProgram.setComputeUnitPrice({
              microLamports: percent(
                Number(Buffer.from(price?.data ?? []).readBigUInt64LE(1)),
                signing.price,
              ),
            }),
            ...own,
          ],
        }))
      case 'assertions': {
        const names = [
          publicKey(cast.feePayer),
          publicKey(addresses.agent(keyOf(wallet))),
          stranger.publicKey,
        ].filter((_, i) => (signing.names >> i) % 2 === 1)
        const inserted = Array.from({ length: signing.count }, () =>
          assertion(...names.map((each) => meta(each))),
        )
        return change(({ instructions }) => ({
          instructions: instructions.toSpliced(signing.at, 0, ...inserted),
        }))
      }
      case 'treacherous assertion':
        return change(({ instructions }) => ({
          instructions: [...instructions, stealingAssertion(cast, signing.lamports)],
        }))
      case 'tampered':
        return TAMPERINGS[signing.which % TAMPERINGS.length]?.signedTx(cast, serializedTx) ?? null
      case 'lookup table': {
        const plain = decompile(serializedTx).instructions.flatMap(({ keys }) =>
          keys.filter((each) => !each.isSigner).map((each) => each.pubkey),
        )
        const moved = plain[signing.which % Math.max(plain.length, 1)] ?? stranger.publicKey
        return change(() => ({}), [tableOf([moved, publicKey(cast.feePayer)], publicKey(addresses.config()))])
      }
      case 'message bytes': {
        const { message } = VersionedTransaction.deserialize(Buffer.from(serializedTx, 'base64'))
        const edited = editBytes(Buffer.from(message.serialize()), signing.edits)
        const signature = nacl.sign.detached(edited, wallet.secretKey)
        return Buffer.concat([Buffer.from([2]), Buffer.alloc(64), signature, edited]).toString('base64')
      }
      default:
        return editBytes(Buffer.from(signed({ serializedTx }, wallet), 'base64'), signing.edits).toString(
          'base64',
        )
    }
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return null
    throw error
  }
}

const percent = (value: number, of: number): number => Math.floor((value * of) / 100)
