import { isLoopbackHost } from '../net/check-url.ts'

/**
 * Why this may be more than a development machine: others can reach the service, or it runs in
 * production. Null if neither.
 */
export function notDevelopment(host: string, nodeEnv: string | undefined): string | null {
  if (!isLoopbackHost(host.toLowerCase())) return `HOST is ${host}`
  return /^prod/i.test(nodeEnv?.trim() ?? '') ? `NODE_ENV is ${nodeEnv}` : null
}
