import type { Backlog } from '../indexer/fetch/signature-listing.ts'
import type { SignatureInfo } from '../decode/rows.ts'
import { fetchTransactions } from '../indexer/fetch/fetch-transactions.ts'
import { CHECKS } from './checks.ts'
import { addDifferences, addUnreadable, compareRow, type Findings, noFindings } from './findings.ts'
import type { ListedSignatures } from './listed-signatures.ts'
import type { AuditContext } from './options.ts'

/** Every successful transaction of the program once: those that the ledger lists, then those that only a table holds. */
export async function* everyTransaction(
  backlog: Backlog,
  listed: ListedSignatures,
): AsyncGenerator<SignatureInfo[]> {
  let before = new Set<string>()
  for await (const page of backlog.oldestFirst()) {
    const infos = new Map(page.filter(({ err }) => err === null).map((info) => [info.signature, info]))
    const signatures = new Set(infos.keys())
    // A listing may repeat itself where two pages meet.
    for (const signature of before) infos.delete(signature)
    before = signatures
    await listed.add([...infos.keys()])
    yield [...infos.values()]
  }
  for await (const signatures of listed.unlisted())
    yield signatures.map((signature) => ({ signature, slot: 0, err: null }))
}

/** Reads transactions again and compares what they mean with what the tables hold. */
export async function compareTransactions(
  context: AuditContext,
  infos: readonly SignatureInfo[],
): Promise<Findings> {
  const findings = noFindings()
  const signatures = infos.map((info) => info.signature)
  const decoded = await fetchTransactions(context.rpc, infos, context)
  for (const { signature } of decoded.events)
    findings.events.set(signature, (findings.events.get(signature) ?? 0) + 1)
  addUnreadable(findings, decoded.deadLetters)
  for (const check of CHECKS) {
    const stored = await check.stored(context, signatures, decoded)
    const expected = new Map(check.expected(decoded).map((row) => [row.key, row]))
    for (const key of new Set([...stored.keys(), ...expected.keys()])) {
      const [inLedger, inTable] = [expected.get(key), stored.get(key)]
      const signature = inLedger?.signature ?? inTable?.signature ?? ''
      addDifferences(
        findings,
        signature,
        compareRow(check.table, key, check.fields, inLedger?.row, inTable?.row),
      )
    }
  }
  return findings
}
