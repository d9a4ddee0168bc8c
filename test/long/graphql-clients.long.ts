import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { installedTools } from '../tools/install.ts'
import { perFile } from '../support/lifetime.ts'

const run = promisify(execFile)
const TSC = fileURLToPath(import.meta.resolve('typescript/package.json')).replace('package.json', 'bin/tsc')
const SCALARS = {
  DateTime: 'string',
  Pubkey: 'string',
  SafeInt: 'number',
  U64: 'string',
  VerifiableCredential: 'unknown',
}

const gateway = perFile(() => startGatewayInProcess({ SEED_AGENTS: '5' }))
let tools: string
let sdl: string
beforeAll(async () => {
  tools = installedTools('graphql-clients')
  sdl = await (await fetch(`${gateway.runtime.baseUrl}/graphql/schema.graphql`)).text()
})

/** A front end with the served schema and these files. */
function project(files: Record<string, string>): string {
  const folder = temporaryFolder('graphql-clients')
  for (const [name, text] of Object.entries({ ...files, 'schema.graphql': sdl })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  symlinkSync(join(tools, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const node = (cwd: string, script: string, ...args: string[]) =>
  run(process.execPath, [script, ...args], { cwd })

const LIST = `
  agents(first: $first, after: $after, filter: { tiers: [BASIC, PREMIUM] }, orderBy: { field: NAME }) @connection(key: "App_agents") {
    totalCount
    edges { node { id name ...App_agent } }
  }`

test('relay-compiler compiles connections, refetchable fragments and subscriptions, with strict scalars', async () => {
  const folder = project({
    'relay.config.json': JSON.stringify({
      src: './src',
      schema: './schema.graphql',
      language: 'typescript',
      artifactDirectory: './generated',
      schemaConfig: {},
      customScalarTypes: SCALARS,
      requireCustomScalarTypes: true,
    }),
    'src/App.ts': `
      graphql\`fragment App_agent on Agent @refetchable(queryName: "AppAgentRefetchQuery") {
        name createdAt stake { id depositedAmount withdrawal { completableAt } } credentials(first: 10) { nodes { id } }
      }\`
      graphql\`query AppQuery($first: Int, $after: String, $owner: Pubkey!) { ${LIST} agentByOwner(owner: $owner) { ...App_agent } }\`
      graphql\`subscription AppSubscription($after: String) { registryEvents(after: $after, filter: { types: [AGENT_REGISTERED, STAKE_DEPOSITED] }) {
        id ... on AgentRegisteredEvent { name serviceCategory } ... on StakeDepositedEvent { amount } agent { ...App_agent }
      } }\`
      graphql\`mutation AppDepositMutation($input: StakeAmountInput!) { prepareDeposit(input: $input) { id serializedTx } }\``,
    'generated/.keep': '',
  })
  const { stdout, stderr } = await node(folder, join(tools, 'node_modules/relay-compiler/cli.js'))
  expect(stdout + stderr).not.toMatch(/error/i)
  const query = readFileSync(join(folder, 'generated/AppQuery.graphql.ts'), 'utf8')
  expect(query).toMatch(/readonly agentByOwner: \{\s*readonly " \$fragmentSpreads"[^}]*\} \| null/)
  expect(readFileSync(join(folder, 'generated/AppAgentRefetchQuery.graphql.ts'), 'utf8')).toContain(
    'node(id:',
  )
  expect(readFileSync(join(folder, 'generated/App_agent.graphql.ts'), 'utf8')).not.toContain(': any')
  const event = readFileSync(join(folder, 'generated/AppSubscription.graphql.ts'), 'utf8')
  expect(event).toContain('readonly amount')
  expect(event).toMatch(/export type ServiceCategory = .*"DATA_ANALYSIS"/)
  expect(event).not.toContain(': any')
})

test('graphql-codegen writes a client preset with strict scalars that compiles under tsc --strict', async () => {
  const folder = project({
    'codegen.json': JSON.stringify({
      schema: 'schema.graphql',
      documents: 'src/*.ts',
      generates: { 'src/gql/': { preset: 'client' } },
      config: { scalars: SCALARS, strictScalars: true, useTypeImports: true },
    }),
    'src/app.ts': `
      import type { ResultOf, VariablesOf } from '@graphql-typed-document-node/core'
      import { graphql } from './gql'
      export const query = graphql(\`query App($first: Int, $after: String, $owner: Pubkey!) {
        ${LIST.replace(/ @connection\([^)]*\)/, '').replace(' ...App_agent', '')}
        agentByOwner(owner: $owner) { id status stake { depositedAmount withdrawal { completableAt } } }
        registryEvents(first: 1) { nodes { __typename id ... on AgentTierUpdatedEvent { newTier stakeAmount } } }
        registryStats { byTier { tier agents } }
      }\`)
      export const show = (data: ResultOf<typeof query>): string | undefined =>
        data.agentByOwner?.stake?.withdrawal?.completableAt ?? data.agents.edges[0]?.node.name
      export const variables: VariablesOf<typeof query> = { owner: 'x', first: 2 }
      // @ts-expect-error The agent can be missing.
      export const wrong = (data: ResultOf<typeof query>): string => data.agentByOwner.id
      export const tierOf = ({ registryEvents }: ResultOf<typeof query>): string | undefined => {
        const [event] = registryEvents.nodes
        return event?.__typename === 'AgentTierUpdatedEvent' ? event.newTier + event.stakeAmount : event?.id
      }
      // @ts-expect-error Another event has no tier.
      export const anyTier = ({ registryEvents }: ResultOf<typeof query>) => registryEvents.nodes[0]!.newTier
      // @ts-expect-error The values of an enum are names in upper case.
      export const isActive = (data: ResultOf<typeof query>): boolean => data.agentByOwner?.status === 'active'`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        module: 'esnext',
        moduleResolution: 'bundler',
        target: 'es2023',
        types: [],
        skipLibCheck: false,
      },
      include: ['src'],
    }),
  })
  await node(folder, join(tools, 'node_modules/@graphql-codegen/cli/cjs/bin.js'), '--config', 'codegen.json')
  const problems = await node(folder, TSC, '-p', '.').catch((error: unknown) => error)
  expect(problems).toMatchObject({ stdout: '' })
  expect(readFileSync(join(folder, 'src/gql/graphql.ts'), 'utf8')).not.toMatch(/: any\b/)
})

test('Apollo Client pages with its cache, sends hashes of queries, and follows events over a WebSocket', async () => {
  const { stdout } = await node(tools, join(tools, 'apollo.mjs'), gateway.runtime.baseUrl)
  expect(JSON.parse(stdout)).toMatchObject({
    total: 5,
    merged: 4,
    node: true,
    missing: { agentByOwner: null, registryStats: { agents: 5 } },
    error: 'Agent not found',
    event: {
      __typename: expect.stringMatching(/Event$/),
      id: expect.stringMatching(/^evt_/),
      owner: expect.any(String),
      agent: { name: expect.any(String) },
    },
    // A fragment of the interface reads it from the cache.
    cached: true,
    // The first query sends its hash, then its text, and the second page only the hash.
    requests: expect.arrayContaining(['POST hash', 'POST text']),
  })
  expect((JSON.parse(stdout) as { requests: string[] }).requests.slice(0, 3)).toEqual([
    'POST hash',
    'POST text',
    'POST hash',
  ])
})

test('urql reads, and follows events as server-sent events', async () => {
  const { stdout } = await node(tools, join(tools, 'urql.mjs'), gateway.runtime.baseUrl)
  const { agents, after, event } = JSON.parse(stdout) as {
    agents: number
    after: string
    event: { id: string; type: string }
  }
  expect(agents).toBe(5)
  expect(event.id).toMatch(/^evt_/)
  expect(event.id).not.toBe(after)
  expect(event.type).toMatch(/^(AGENT|STAKE)_[A-Z_]+$/)
})
