import type { Config } from './config.ts'

/** The names by which clients call the service, as far as its settings tell; null behind a proxy of which they do not say how it is called. */
export function hostNamesOf({
  host,
  baseUrl,
  trustProxy,
}: Pick<Config['server'], 'host' | 'baseUrl' | 'trustProxy'>): readonly string[] | null {
  const own = host.toLowerCase()
  if (baseUrl !== null) return [own, new URL(baseUrl).hostname]
  return trustProxy.length > 0 ? null : [own]
}
