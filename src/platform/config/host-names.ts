import type { Config } from './config.ts'

/** The host names of the service. Null behind a proxy if BASE_URL does not say the public name. */
export function hostNamesOf({
  host,
  baseUrl,
  trustProxy,
}: Pick<Config['server'], 'host' | 'baseUrl' | 'trustProxy'>): readonly string[] | null {
  const own = host.toLowerCase()
  if (baseUrl !== null) return [own, new URL(baseUrl).hostname]
  return trustProxy.length > 0 ? null : [own]
}
