import { keyOf } from '../../test/support/factories.ts'

/** A request that is measured. */
export interface Measured {
  readonly name: string
  readonly path: string
  /** Of a POST. `unique` makes each request differ from all others. */
  readonly body?: (unique: number) => object
  readonly headers?: Readonly<Record<string, string>>
}

const BROWSER = { accept: 'text/html', 'accept-encoding': 'br' }
const MCP_VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** An agent of the registry. */
export interface Known {
  readonly pda: string
  readonly owner: string
  /** The owner of an agent of tier basic. Its transactions can be sponsored. */
  readonly sponsored: string
}

export function requests({ pda, owner, sponsored }: Known): Measured[] {
  const did = `did:sol:${owner}`
  return [
    { name: 'agents', path: '/agents?limit=50&offset=1' },
    { name: 'OpenAPI document', path: '/openapi.json' },
    { name: 'document of /docs', path: '/docs/json' },
    { name: 'SDL', path: '/graphql/schema.graphql' },
    { name: '/graphql editor', path: '/graphql', headers: BROWSER },
    { name: 'IDL', path: '/idl.json' },
    { name: 'DID Document', path: `/did/${did}/document` },
    ...graphqlRequests(pda),
    ...mcpRequests(pda, owner, did),
    fees('fee estimate', []),
    fees('fee estimate of an account', [pda]),
    fees(
      'fee estimate of 128 accounts',
      Array.from({ length: 128 }, (_, i) => keyOf(`account ${i}`)),
    ),
    {
      name: 'prepare',
      path: '/relay/prepare',
      body: (unique) => ({ instructions: [memo(unique, owner)], signerPubkeys: [owner] }),
    },
    {
      name: 'prepare a suspension, sponsored',
      path: '/relay/prepare/suspend-agent',
      body: () => ({ ownerPubkey: sponsored, sponsored: true }),
    },
    {
      name: 'prepare an update',
      path: '/relay/prepare/update-agent',
      body: (unique) => ({ ownerPubkey: owner, name: `bench ${unique}` }),
    },
  ]
}

function graphqlRequests(pda: string): Measured[] {
  const document = (name: string, query: (unique: number) => string): Measured => ({
    name,
    path: '/graphql',
    body: (unique) => ({ query: query(unique) }),
  })
  const aliases =
    (count: number, field: string, padding = '') =>
    (unique: number) =>
      Array.from({ length: count }, (_, i) => `a${unique}${padding}${i}: ${field}`).join(' ')
  const wide = aliases(300, 'pda', 'x'.repeat(20))
  const roots = aliases(10, `agent(pda: "${pda}") { pda name tier status owner createdAt }`)
  const times = Array.from(
    { length: 100 },
    (_, day) => `"${new Date(Date.UTC(2026, 10, day)).toISOString()}"`,
  )
  return [
    document('growth of the registry, 100 times', () => `{ registryGrowth(times: [${times.join()}]) }`),
    document('deposits over time, 100 times', () => `{ registryStake(times: [${times.join()}]) }`),
    document('agents by reputation', () => '{ registryReputation { from to agents } }'),
    document('unique document', (unique) => `{ agentsPage(limit: 1) { a${unique}: total } }`),
    document('unique document, 10 KB of fields', (unique) => `{ agent(pda: "${pda}") { ${wide(unique)} } }`),
    document('unique document, 10 root fields', (unique) => `{ ${roots(unique)} }`),
    document(
      'unique document, 10 KB of comments',
      (unique) => `# ${unique} ${'x'.repeat(10_000)}\n{ __typename }`,
    ),
    document('unique document, refused', (unique) => `{ agents { a${unique} } }`),
  ]
}

function mcpRequests(pda: string, owner: string, did: string): Measured[] {
  const message = (
    name: string,
    method: string,
    params: object,
    headers: Record<string, string> = {},
  ): Measured => ({
    name: `MCP ${name}`,
    path: '/mcp',
    headers: { accept: 'application/json, text/event-stream', ...headers },
    body: (id) => ({ jsonrpc: '2.0', id, method, params }),
  })
  const modern = (
    name: string,
    method: string,
    params: object,
    headers: Record<string, string> = {},
  ): Measured =>
    message(
      name,
      method,
      { ...params, _meta: META },
      {
        'mcp-protocol-version': MCP_VERSION,
        'mcp-method': method,
        ...headers,
      },
    )
  const tool = (name: string, args: object): Measured =>
    modern(
      name,
      'tools/call',
      { name: name.split(',')[0], arguments: args },
      { 'mcp-name': name.split(',')[0]! },
    )
  return [
    message('initialize', 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    }),
    message('tools/list, 2025', 'tools/list', {}),
    modern('tools/list', 'tools/list', {}),
    tool('lookup_agent', { query: pda }),
    tool('lookup_agent, by name', { query: 'Wether' }),
    tool('list_agents, refused', Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`a${i}`, i]))),
    tool('verify_agent', { owner }),
    tool('list_agents', { limit: 50 }),
    tool('check_reputation', { owner }),
    tool('resolve_did', { did }),
    tool('check_credentials', { owner }),
    message('list_agents, 2025', 'tools/call', { name: 'list_agents', arguments: { limit: 50 } }),
  ]
}

const fees = (name: string, accountKeys: readonly string[]): Measured => ({
  name,
  path: '/relay/estimate-fees',
  body: () => ({ accountKeys }),
})

const memo = (unique: number, signer: string): object => ({
  programId: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  keys: [{ pubkey: signer, isSigner: true, isWritable: true }],
  data: Buffer.from(`bench ${unique}`).toString('base64'),
})
