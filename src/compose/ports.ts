import type { Config } from '../platform/config/config.ts'
import { isPortInUse } from '../platform/net/check-url.ts'
import { OperatorError } from '../platform/process/operator-error.ts'

const LOCALNET_HOST = '127.0.0.1'

/** Throws OperatorError with every port of the settings that is in use. */
export async function checkPorts({
  server,
  ledger,
  localnet,
}: Pick<Config, 'server' | 'ledger' | 'localnet'>): Promise<void> {
  const hasLocalnet = ledger.rpcUrls === null && localnet.port !== 0
  const ports = [
    { host: server.host, port: server.port, change: 'set PORT to a free port' },
    ...(hasLocalnet ? [localnet.port, localnet.port + 1] : []).map((port) => ({
      host: LOCALNET_HOST,
      port,
      change: 'set LOCALNET_PORT to a free port that is followed by another free one',
    })),
  ]
  const problems: string[] = []
  for (const { host, port, change } of ports) {
    if (!(await isPortInUse(host, port))) continue
    problems.push(`${host}:${port} is in use: stop the program that uses it, or ${change}, or to 0 for any`)
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
}
