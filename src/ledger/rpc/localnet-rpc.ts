import { createLedgerRpc, type LedgerRpc } from './ledger-rpc.ts'

/** A client that may also call localnet_*: they need a header that web pages cannot send. */
export function createLocalnetRpc(url: string): LedgerRpc {
  return createLedgerRpc({ url, headers: { 'x-localnet-control': '1' } })
}
