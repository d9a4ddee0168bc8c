import { setTimeout as delay } from 'node:timers/promises'
import { pubkey } from '@agent-registry/solana'
import { registryIdl, registryInstruction } from '@agent-registry/program'
import { loadLocalnetKeys } from '../../src/platform/keys.ts'
import { createLedgerRpc } from '../../src/ledger/rpc/ledger-rpc.ts'
import { walletOf, wireTransaction } from './wallet.ts'

/** Sends `perSecond` different transactions to the ledger of `dataDir`. Returns their number. */
export async function sendUpdates(options: {
  rpcUrl: string
  dataDir: string
  perSecond: number
  seconds: number
}): Promise<number> {
  const { perSecond, seconds } = options
  const rpc = createLedgerRpc({ url: options.rpcUrl })
  const admin = walletOf(loadLocalnetKeys(options.dataDir).registryAdmin)
  const began = performance.now()
  let sent = 0
  let blockhash = ''
  while (performance.now() - began < seconds * 1_000) {
    if (sent % perSecond === 0)
      blockhash = (await rpc.call<{ value: { blockhash: string } }>('getLatestBlockhash')).value.blockhash
    const change = registryInstruction(
      pubkey(registryIdl.address),
      'update_config',
      { admin: admin.address },
      { cooldownSeconds: BigInt(86_400 + (sent % 1_000_000)) },
    )
    const wire = wireTransaction(blockhash, admin, [change], [])
    const config = { encoding: 'base64', skipPreflight: true }
    void rpc.call('sendTransaction', [Buffer.from(wire).toString('base64'), config]).catch(() => {})
    sent += 1
    const due = began + (sent * 1_000) / perSecond
    if (due > performance.now()) await delay(due - performance.now())
  }
  return sent
}
