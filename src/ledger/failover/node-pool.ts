import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { createLedgerRpc } from '../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import { type Endpoint, isResting, newEndpoint } from './ledger-node.ts'

/** With somebody else to ask, nobody is waited for that long. */
const TIMEOUT_MS = 6_000

export interface FailoverOptions {
  /** In the order of preference. */
  urls: readonly string[]
  clock: Clock
  logger: Pick<Logger, 'warn' | 'error'>
  timeoutMs?: number
  /** Of the ledger that the nodes must be on, base-58; without it the first node that answers says. */
  genesisHash?: string | undefined
  /** Asks again for what `genesisHash` did not tell, for a node that is alone: another process may fill the tables. */
  readGenesisHash?: () => Promise<string | undefined>
}

/** What is known of one node. */
export type NodeState = 'well' | 'resting' | 'refused'

/** Which of several nodes may be asked. */
export interface Nodes {
  /** Whom to ask now, in this order. */
  candidates(): Endpoint[]
  /** Who may know what this one does not, in the order of preference; some may rest. */
  besides(endpoint: Endpoint): Endpoint[]
  /** Asks the node for its ledger where that is not known; whether it is the ledger of the others. */
  join(endpoint: Endpoint): Promise<boolean>
  /** Why nobody could be asked. */
  noneLeft(): LedgerRpcError
  /** The genesis hash of the first node when every one is on another ledger. */
  wrongLedger(): string | undefined
  states(): NodeState[]
}

export function createNodes({ urls, clock, logger, ...options }: FailoverOptions): Nodes {
  const endpoints = urls.map((url, i) =>
    newEndpoint(createLedgerRpc({ url, timeoutMs: options.timeoutMs ?? TIMEOUT_MS }), i + 1),
  )
  let { genesisHash } = options
  let introduced = false
  const usable = (): Endpoint[] => endpoints.filter((each) => each.ledger !== 'another')

  async function join(endpoint: Endpoint): Promise<boolean> {
    if (endpoint.ledger !== 'unknown') return endpoint.ledger === 'ours'
    endpoint.genesisHash = await endpoint.rpc.call<string>('getGenesisHash')
    genesisHash ??= endpoint.genesisHash
    endpoint.ledger = endpoint.genesisHash === genesisHash ? 'ours' : 'another'
    if (endpoint.ledger === 'another')
      logger.error(
        { endpoint: endpoint.number, genesisHash: endpoint.genesisHash, expected: genesisHash },
        'this ledger node is on another ledger than the database or the nodes before it: it is not used',
      )
    else if (!introduced) introduce()
    return endpoint.ledger === 'ours'
  }

  /** The others are asked for their ledger before they are needed, so that a wrong one is told of at once. */
  function introduce(): void {
    introduced = true
    // One that cannot be reached is asked when it is needed.
    for (const endpoint of endpoints) join(endpoint).catch(() => {})
  }

  return {
    join,
    candidates() {
      const awake = usable().filter((each) => !isResting(each, clock))
      if (awake.length > 0) return awake
      // Better one that may be well again than none; but who asked for a pause gets it.
      return usable()
        .filter((each) => !each.restIsAsked)
        .sort((a, b) => a.restsUntil - b.restsUntil)
    },
    besides: (endpoint) => usable().filter((each) => each !== endpoint),
    noneLeft() {
      const waits = usable().map((each) => each.restsUntil)
      if (waits.length === 0) return new LedgerRpcError('rpc', 'every ledger node is on another ledger')
      return new LedgerRpcError('http', 'every ledger node asked to be left alone for a while', {
        code: 429,
        retryAfterMs: Math.max(0, Math.min(...waits) - clock.now()),
      })
    },
    wrongLedger: () => (usable().length === 0 ? endpoints[0]?.genesisHash : undefined),
    states: () =>
      endpoints.map((each) => {
        if (each.ledger === 'another') return 'refused'
        return isResting(each, clock) ? 'resting' : 'well'
      }),
  }
}
