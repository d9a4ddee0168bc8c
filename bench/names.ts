/**
 * All benches in the order in which `npm run bench` runs them. Each is a folder with a main.ts that
 * measures, prints and saves its result.
 */
export const BENCHES = [
  'reads',
  'search',
  'relay',
  'webhooks',
  'starvation',
  'catch-up',
  'credentials',
  'visibility',
  'start',
  'console',
  'memory',
  'overload',
  'graphql-attacks',
  'attacks',
  'unit-costs',
  'load',
  'scale',
  'growth',
] as const
