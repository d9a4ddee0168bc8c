import { type BackgroundLoop, createBackgroundLoop } from '../platform/async/background-loop.ts'
import type { Logger } from '../platform/logger.ts'
import type { HealthService } from '../health/health-service.ts'
import type { RunningLedger } from './ledger.ts'

const POLL_MS = 2_000

interface ReadinessLogOptions {
  readonly health: Pick<HealthService, 'readiness'>
  readonly baseUrl: string
  readonly ledger: RunningLedger
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly dataDir: string
  readonly inviteCode: string | null
}

/**
 * Logs the addresses of the gateway and whether it is ready, or what is missing. Logs again when
 * that changes. Tests and the quickstart wait for the first line.
 */
export function createReadinessLog(options: ReadinessLogOptions): BackgroundLoop {
  const { health, logger } = options
  let reported: string | undefined
  return createBackgroundLoop({
    retryMs: POLL_MS,
    failures: { report: (err) => logger.warn({ err }, 'checking whether the gateway is ready failed') },
    step: async () => {
      const { missing } = await health.readiness()
      // Reasons with a growing number of seconds are one reason.
      const reason = missing.map((text) => text.replaceAll(/\d+/g, '')).join('; ')
      if (reason !== reported) {
        const fields = reported === undefined || missing.length === 0 ? addresses(options) : {}
        if (missing.length === 0) logger.info(fields, 'the gateway is ready')
        else logger.warn(fields, `the gateway is not ready: ${missing.join('; ')}`)
      }
      reported = reason
      return POLL_MS
    },
  })
}

function addresses({ baseUrl, ledger, dataDir, inviteCode }: ReadinessLogOptions): Record<string, string> {
  const urls = { api: baseUrl, graphql: `${baseUrl}/graphql`, docs: `${baseUrl}/docs` }
  if (ledger.localnet === null) return urls
  const { rpcUrl, wsUrl, keys } = ledger.localnet
  return {
    ...urls,
    localnetRpc: rpcUrl,
    localnetWebSocket: wsUrl,
    usdcMint: keys.usdcMint.publicKey.toBase58(),
    dataDir,
    ...(inviteCode === null ? {} : { inviteCode }),
  }
}
