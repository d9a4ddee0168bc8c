import { type Client, useClient, useQuery } from 'urql'
import { useLocation } from 'wouter'
import { shorten, useDebounced, words } from '../ui/index.ts'
import { FindAgentDocument, SuggestDocument, SuggestSimilarDocument } from './search.generated.ts'

export const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const DID = /^did:sol:(?:\w+:)?([1-9A-HJ-NP-Za-km-z]{32,44})$/

type Kind = 'did' | 'address' | 'signature' | 'id' | 'name'

/** What somebody typed. */
function kindOf(typed: string): Kind {
  const text = typed.trim()
  if (DID.test(text)) return 'did'
  if (SIGNATURE.test(text)) return 'signature'
  if (UUID.test(text)) return 'id'
  return ADDRESS.test(text) ? 'address' : 'name'
}

/** The page for a name, an address of an agent or owner, a DID, a signature or a prepared id. */
async function pageFor(client: Client, typed: string): Promise<string> {
  const text = typed.trim()
  const kind = kindOf(text)
  if (kind === 'signature' || kind === 'id') return `/tx/${text}`
  if (kind === 'name') return `/agents?name=${encodeURIComponent(text.slice(0, 64))}`
  const key = kind === 'did' ? DID.exec(text)![1]! : text
  const { data } = await client.query(FindAgentDocument, { pda: key }).toPromise()
  const found = data?.byAddress ?? data?.byOwner
  return `/agents/${found?.pda ?? key}`
}

/** Something to choose in the search. */
export interface Entry {
  readonly id: string
  readonly title: string
  /** Beside the title: the tier, a short address. */
  readonly detail?: string
  readonly run: () => void
}

const TITLES: Readonly<Record<Exclude<Kind, 'name'>, string>> = {
  did: 'Open the agent of this DID',
  address: 'Open the agent of this address',
  signature: 'Open the transaction of this signature',
  id: 'Open the transaction with this id',
}
/** Longer texts are no beginning of a name. */
const MAX_PREFIX = 32
/** Longer texts are refused. */
const MAX_WORDS = 64
/** As many as the queries ask for. */
const MAX_ENTRIES = 6

/** What the typed text can mean: a page for an address, or agents with such a name. */
export function useFound(text: string): Entry[] {
  const [, navigate] = useLocation()
  const client = useClient()
  const typed = text.trim()
  const kind = kindOf(typed)
  const prefix = useDebounced(typed, 200)
  const isShort = prefix !== '' && prefix.length <= MAX_PREFIX
  const [{ data, fetching }] = useQuery({ query: SuggestDocument, variables: { prefix }, pause: !isShort })
  const begin = isShort ? (data?.agentSuggestions ?? []) : []
  const isName = prefix !== '' && prefix.length <= MAX_WORDS && kindOf(prefix) === 'name'
  const pause = !isName || (isShort && data === undefined) || begin.length === MAX_ENTRIES
  const [found] = useQuery({ query: SuggestSimilarDocument, variables: { words: prefix }, pause })
  if (typed === '') return []
  const run = async (): Promise<void> => navigate(await pageFor(client, typed))
  const open = { id: 'found', run: () => void run() }
  if (kind !== 'name') return [{ ...open, title: TITLES[kind], detail: shorten(typed) }]
  const similar = pause ? [] : (found.data?.agentsPage.agents ?? [])
  // Until the answer for this text is there, of the one before only what has the text in its name.
  const isAnswered = prefix === typed && !fetching && !found.fetching
  const agents = [...begin, ...similar.filter(({ pda }) => !begin.some((each) => each.pda === pda))].filter(
    ({ name }) => isAnswered || name.toLowerCase().includes(typed.toLowerCase()),
  )
  const entries = agents.slice(0, MAX_ENTRIES).map(({ pda, name, tier }) => ({
    id: pda,
    title: name,
    detail: `${words(tier)} · ${shorten(pda)}`,
    run: () => navigate(`/agents/${pda}`),
  }))
  return [...entries, { ...open, title: `Search all names for “${typed}”` }]
}
