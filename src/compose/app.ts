import packageJson from '../../package.json' with { type: 'json' }
import { type AppOptions, buildApp } from '../../rest/app.ts'
import { loadOperators } from '../../rest/documents/operators.ts'
import type { RestApp } from '../../rest/rest-app.ts'
import { hostNamesOf } from '../platform/config/config.ts'
import type { GatewayContext, Services } from './services.ts'

/**
 * The HTTP server of the settings. It does not listen yet. `more` replaces what follows from them.
 */
export function composeApp(
  { config: { server, roles }, logger, metrics }: Pick<GatewayContext, 'config' | 'logger' | 'metrics'>,
  services: Services,
  more: Partial<AppOptions> = {},
): Promise<RestApp> {
  const { host, port, operationsDir } = server
  return buildApp({
    services,
    logger,
    metrics,
    surface: roles.has('api') ? 'all' : 'operations',
    version: packageJson.version,
    baseUrl: server.baseUrl ?? (port === 0 ? null : `http://${host}:${port}`),
    trustProxy: server.trustProxy,
    corsOrigins: server.corsOrigins,
    hostNames: hostNamesOf(server),
    console: server.console,
    operatorDocuments: operationsDir === null ? [] : loadOperators(operationsDir),
    ...more,
  })
}
