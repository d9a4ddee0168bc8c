import { expect, test } from 'vitest'
import { listSignatures } from '../../../src/ledger/indexer/fetch/signature-listing.ts'
import type { LedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../../src/ledger/rpc/rpc-error.ts'
import { registration } from '../../support/ledger/samples.ts'
import { PROGRAM_ID, ScriptedLedger } from '../../support/ledger/scripted-ledger.ts'

const SENT = 40
const query = { programId: PROGRAM_ID, commitment: 'confirmed', until: null, minSlot: 0, maxInMemory: 6 }

/** A ledger whose node lists three entries per page. */
function longLedger(): ScriptedLedger {
  const ledger = new ScriptedLedger()
  ledger.pageCap = 3
  for (let i = 0; i < SENT; i += 1) {
    ledger.send(registration(`agent ${i}`))
    ledger.advance()
  }
  return ledger
}

async function readAll(rpc: LedgerRpc): Promise<string[]> {
  const read: string[] = []
  const listing = await listSignatures(rpc, query)
  expect(listing.count).toBe(SENT)
  for await (const page of listing.oldestFirst()) read.push(...page.map((info) => info.signature))
  return read
}

test('a listing longer than fits into memory is read completely, in ledger order', async () => {
  const ledger = longLedger()
  expect(await readAll(ledger.rpc())).toEqual(ledger.entries.map((entry) => entry.signature))
})

test('older pages are not read from a node that has not reached the newest page', async () => {
  const ledger = longLedger()
  const rpc = ledger.rpc()
  const reached = ledger.entries[SENT - 10]!.slot
  let asked = 0
  /** After the first page, a node that is behind is asked first. It does not know `before`. */
  const behind: LedgerRpc = {
    ...rpc,
    call: async <T>(method: string, params: unknown[] = []) => {
      const { minContextSlot = 0 } = params[1] as { minContextSlot?: number }
      return asked++ > 0 && minContextSlot <= reached ? ([] as T) : rpc.call<T>(method, params)
    },
  }
  expect(await readAll(behind)).toEqual(ledger.entries.map((entry) => entry.signature))
})

test('it is an error if a node no longer has a page that must be listed again', async () => {
  const ledger = longLedger()
  const rpc = ledger.rpc()
  let listed = 0
  const forgetful: LedgerRpc = {
    ...rpc,
    call: async <T>(method: string, params: unknown[] = []) => {
      listed += Number(method === 'getSignaturesForAddress')
      return listed > SENT / 3 + 3 ? ([] as T) : rpc.call<T>(method, params)
    },
  }
  await expect(readAll(forgetful)).rejects.toThrow(LedgerRpcError)
})
