import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import css from './badge.module.css'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent'

export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone
  readonly children: ReactNode
}) {
  return (
    <span className={css.badge} data-tone={tone}>
      {children}
    </span>
  )
}

/** A state that changes, with its colour and a dot before it. */
export const Light = ({ tone, text }: { readonly tone: Tone; readonly text: ReactNode }) => (
  <span className={classes(css.badge, css.dot)} data-tone={tone}>
    {text}
  </span>
)

const TONES = {
  good: ['ACTIVE', 'CONFIRMED', 'SUCCESS', 'MATCHED', 'VERIFIED', 'OK'],
  warn: ['SUSPENDED', 'RETRYING', 'UNREACHABLE', 'DEGRADED'],
  accent: ['SUBMITTED', 'PENDING', 'IN_FLIGHT', 'SIMULATED'],
  bad: ['DEACTIVATED', 'FAILED', 'MISMATCHED', 'FAILURE', 'GONE'],
}
const toneOf = (value: string): Tone =>
  (Object.keys(TONES) as (keyof typeof TONES)[]).find((tone) => TONES[tone].includes(value)) ?? 'neutral'

/** The status of an agent, a transaction, a card or a delivery, with its colour and in words. */
export function Status({ value }: { readonly value: string }) {
  return <Light tone={toneOf(value)} text={words(value)} />
}

/** A tier with its accent. */
export function Tier({ value }: { readonly value: string }) {
  return (
    <span className={css.tier} data-tone={value}>
      {words(value)}
    </span>
  )
}

/** CONTENT_CREATION and `registerAgent` as words. */
export function words(value: string): string {
  const text = value
    .replace(/_/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
