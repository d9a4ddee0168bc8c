import type { Logger } from '../platform/logger.ts'
import type { RunningLedger } from './ledger.ts'

/** Logs the addresses of the gateway. Tests and the quickstart wait for this line. */
export function logReady(options: {
  baseUrl: string
  ledger: RunningLedger
  logger: Logger
  dataDir: string
  inviteCode: string | null
}): void {
  const { baseUrl, ledger, logger, dataDir, inviteCode } = options
  logger.info(
    {
      api: baseUrl,
      graphql: `${baseUrl}/graphql`,
      docs: `${baseUrl}/docs`,
      ...(ledger.localnet === null
        ? {}
        : {
            localnetRpc: ledger.localnet.rpcUrl,
            localnetWebSocket: ledger.localnet.wsUrl,
            usdcMint: ledger.localnet.keys.usdcMint.publicKey.toBase58(),
            dataDir,
            ...(inviteCode === null ? {} : { inviteCode }),
          }),
    },
    'the gateway is ready',
  )
}
