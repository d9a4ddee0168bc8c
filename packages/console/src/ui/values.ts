/** How values are written and shown. */
export { Address, shorten } from './address.tsx'
export { Amount, formatUnits, plainUnits, usdc } from './amount.tsx'
export { Badge, Light, Status, Tier, type Tone, words } from './badge.tsx'
export { ExternalLink, Link } from './link.tsx'
export { plural, withCommas } from './number.ts'
export { RelativeTime } from './time.tsx'
