import type { Tone } from '../../ui/index.ts'
import type { Card } from './agent.ts'

interface Verdict {
  readonly tone: Tone
  readonly text: string
}

const STATES: Record<Card['state'], Verdict> = {
  MATCHED: {
    tone: 'good',
    text: 'This is the card that the owner recorded on the ledger.',
  },
  MISMATCHED: {
    tone: 'bad',
    text: 'The hosted card is not the one that the owner recorded on the ledger. Do not rely on it. Lists leave out this agent until its owner records the new card.',
  },
  UNREACHABLE: {
    tone: 'warn',
    text: 'The gateway could not fetch the card. It tries again later.',
  },
  UNCHECKED: {
    tone: 'neutral',
    text: 'The gateway did not check the card since its address or its hash changed. It usually does so within a minute.',
  },
}

export function verdictOf({ state, matchedBy }: Card): Verdict {
  const verdict = STATES[state]
  const form =
    matchedBy === 'RAW'
      ? ' Every byte is the same.'
      : matchedBy === 'JCS'
        ? ' Its content is the same. Spaces or the order of members differ.'
        : ''
  return { ...verdict, text: `${verdict.text}${form}` }
}

export const SIGNATURES: Record<NonNullable<Card['signature']>, string> = {
  VERIFIED: 'Signed with the key of the owner',
  FOREIGN: 'Signed with other keys, which the gateway does not check',
  INVALID: 'Wrong: it names the key of the owner, but does not match it',
  UNSIGNED: 'Not signed',
}
