import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { openApiDocument } from '../../docs/build/openapi-document.ts'
import { createMcpServer } from '../../rest/mcp/server.ts'
import { printedSchema } from '../../schema/print.ts'
import { ERRORS } from '../../src/domain/errors.ts'
import { SETTINGS } from '../../src/platform/config/settings.ts'
import type { Services } from '../../src/compose/services.ts'

/** Words that readers of the public texts do not understand at once, with the usual words. */
const FORBIDDEN: [word: RegExp, use: string][] = [
  [/\bdoors?\b/, 'interface, operations'],
  [/\bwhom\b|\basks\b|\basked\b/, 'the client, requested'],
  [/\btold\b|\btells?\b/, 'reported, receives'],
  [/\banew\b|\bafresh\b/, 'again'],
  [/\bbesides\b|\bthereof\b|\bas far as\b/, 'also'],
  [/\bfor good\b|\bfor ever\b/, 'permanently'],
  [/\bin hand\b/, 'in flight'],
  [/\bstrays?\b/, 'unmatched'],
  [/\bupkeep\b|\bhousekeeping\b/, 'maintenance'],
  [/\bepitaph\b/, 'fatal error'],
  [/\bjudge(s|d|ment)?\b|\bheard\b/, 'check, decision, outcome'],
  [/\bkept answers?\b|\bkeeps? (no )?answers?\b/, 'cached responses'],
  [/\b(the|an|no|its|this|each|such|real) answers?\b|\banswers? (is|are)\b/, 'response'],
  [/\bbinds nobody\b|\bnobody\b|\bsomebody\b|\bstrangers?\b/, 'another wallet, no client'],
  [/\btoo late\b/, 'expired'],
  [/\bdefects?\b|\bnothing of it\b/, 'internal error'],
  [/\bso already\b/, 'conflicts'],
  [/\blook(s|ed)? at\b|\bsightings?\b|\blast look\b/, 'check, poll'],
  [/\bsurroundings\b|\bapplicants?\b|\bguarded\b/, 'context, request, walletAuth'],
  [/\bshall\b|\bmeanwhile\b|\bwhat became of\b|\bwhere there (is|are|was|were)\b/, 'will, if there is'],
  [/\bDefault Response\b/, 'a description of the response'],
  [/\bwalked by\b|\bas of (GET|POST|PATCH|DELETE)\b/, 'paged with, see'],
]

interface Text {
  readonly place: string
  readonly text: string
}

/** The texts in a JSON document, each with its path. Keys are names, not texts. */
function textsOf(value: unknown, place: string): Text[] {
  if (typeof value === 'string') return [{ place, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => textsOf(member, `${place} / ${key}`))
}

function forbiddenWords(texts: readonly Text[]): string[] {
  return texts.flatMap(({ place, text }) =>
    FORBIDDEN.flatMap(([word, use]) => {
      const found = new RegExp(word, 'i').exec(text)
      return found === null ? [] : [`${place}: "${found[0]}" in "${text}" (better: ${use})`]
    }),
  )
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The string literals of source files, without comments and import paths. */
function literalsOf(pattern: string): Text[] {
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g
  return globSync(pattern, { cwd: root }).flatMap((place) => {
    const source = readFileSync(join(root, place), 'utf8')
    const literals = Array.from(source.matchAll(tokens), ([token]) => token)
    return literals.filter((token) => /^['`][^.@]/.test(token)).map((text) => ({ place, text }))
  })
}

async function mcpTexts(): Promise<unknown> {
  const context = {
    services: {} as Services,
    clientIp: '192.0.2.1',
    logger: { error: () => undefined },
    era: 'legacy' as const,
    authenticate: () => Promise.reject(new Error('no wallet')),
    admit: () => () => undefined,
  }
  const server = createMcpServer(context)
  const client = new Client({ name: 'test', version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  const texts = {
    instructions: client.getInstructions(),
    ...(await client.listTools()),
    ...(await client.listResourceTemplates()),
    ...(await client.listPrompts()),
  }
  await client.close()
  return texts
}

test.each<[string, number, () => Text[] | Promise<Text[]>]>([
  ['OpenAPI document', 500, async () => textsOf(await openApiDocument(), 'openapi.json')],
  [
    'GraphQL schema',
    500,
    () =>
      printedSchema()
        .split('\n')
        .map((text, i) => ({ place: `schema.graphql:${i + 1}`, text })),
  ],
  ['MCP tools and resources', 100, async () => textsOf(await mcpTexts(), 'MCP')],
  ['error table', 50, () => textsOf(ERRORS, 'errors')],
  ['settings', 30, () => Object.entries(SETTINGS).map(([place, { meaning }]) => ({ place, text: meaning }))],
  ['command line, metrics and log messages', 2_000, () => literalsOf('{src,rest,schema}/**/*.ts')],
])('%s: the texts contain no forbidden words', async (_, minimum, collect) => {
  const texts = await collect()
  expect(texts.length).toBeGreaterThan(minimum)
  expect(forbiddenWords(texts)).toEqual([])
})

test('a forbidden word is reported with its place', () => {
  expect(forbiddenWords(textsOf({ a: [{ description: 'At every door.' }] }, 'document'))).toEqual([
    'document / a / 0 / description: "door" in "At every door." (better: interface, operations)',
  ])
})
