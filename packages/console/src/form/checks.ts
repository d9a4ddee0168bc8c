import { ADDRESS } from '../shell/find.ts'
import type { Service } from '../ui/service.tsx'

export type AgentLimits = Service['agentLimits']
type Details = Partial<Record<'name' | 'version' | 'url' | 'hash', string>>

/** What is wrong with the details of an agent, and what is allowed. */
export function checkDetails(limits: AgentLimits, { name, version = '', url = '', hash = '' }: Details) {
  const { nameBytes, versionBytes, cardUrlBytes, cardUrlSchemes, cardHashDigits: digits } = limits
  return {
    name: name === '' ? 'Enter a name.' : tooLong('name', name, nameBytes),
    version: tooLong('version', version, versionBytes),
    url: cardUrlSchemes.some((scheme) => url.startsWith(`${scheme}:`))
      ? tooLong('URL', url, cardUrlBytes)
      : `Enter a URL that begins with ${schemesOf(limits)}.`,
    hash: new RegExp(`^[0-9a-f]{${digits}}$`, 'i').test(hash)
      ? null
      : `Choose the card file, or enter its hash: ${digits} hex digits.`,
  }
}

function tooLong(what: string, text: string | undefined, max: number): string | null {
  const { length } = new TextEncoder().encode(text)
  return length > max ? `The ${what} has ${length} bytes. At most ${max} are allowed.` : null
}

export const schemesOf = ({ cardUrlSchemes }: AgentLimits): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(cardUrlSchemes)

/** Of an optional agent. */
export function checkAgent(agent: string): string | null {
  if (agent === '' || ADDRESS.test(agent)) return null
  return 'Enter the address of an agent: 32 to 44 letters and digits.'
}
