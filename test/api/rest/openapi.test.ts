import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { type Json, type OpenApi, type Operation, problems, resolveReference } from '../../support/openapi.ts'

let t: TestApp
let document: OpenApi
let operations: { path: string; operation: Operation }[]
beforeAll(async () => {
  t = await createTestApp()
  document = (await t.app.inject('/openapi.json')).json()
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, operation })),
  )
})
afterAll(() => t.close())

function everything(of: (schema: Json) => void): void {
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    of(value as Json)
    Object.values(value).forEach(walk)
  }
  walk(document)
}

test('every reference resolves', () => {
  const references: string[] = []
  everything(({ $ref }) => {
    if (typeof $ref === 'string') references.push($ref)
  })
  expect(references.length).toBeGreaterThan(0)
  for (const reference of references) expect(resolveReference(document, reference)).toBeDefined()
})

test('the document contains no JSON Schema identifiers or keywords of older drafts', () => {
  const left: unknown[] = []
  everything((schema) => {
    for (const word of ['$id', 'nullable', 'definitions', '~kind', '~optional']) {
      if (word in schema) left.push([word, schema])
    }
  })
  expect(left).toEqual([])
})

test('operations have a unique id, a declared tag, a summary and responses', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const tags = document.tags.map(({ name }) => name)
  for (const { operation } of operations) {
    expect(operation.summary).toBeTruthy()
    expect(tags).toEqual(expect.arrayContaining(operation.tags))
    expect(Object.keys(operation.responses).filter((status) => /^2\d\d$/.test(status))).toHaveLength(1)
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^[2-5]\d\d$/)
      expect(response.description).toBeTruthy()
    }
  }
})

test('path parameters match the template and are required, and no parameter is repeated', () => {
  for (const { path, operation } of operations) {
    const { parameters = [] } = operation
    const inPath = parameters.filter((each) => each.in === 'path')
    expect(inPath.map(({ name }) => name)).toEqual(
      Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
    )
    expect(inPath.every(({ required }) => required)).toBe(true)
    expect(new Set(parameters.map((each) => `${each.in} ${each.name}`)).size).toBe(parameters.length)
  }
})

test('every example and default is valid for its schema', () => {
  let checked = 0
  everything((schema) => {
    if (!('type' in schema) && !('enum' in schema)) return
    const { examples = [], default: usual, ...bare } = schema
    const values = [...(Array.isArray(examples) ? examples : []), ...(usual === undefined ? [] : [usual])]
    for (const value of values) {
      checked += 1
      expect({ schema, problems: problems(document, bare, value) }).toEqual({ schema, problems: [] })
    }
  })
  for (const { operation } of operations) {
    for (const { content = {} } of Object.values(operation.responses)) {
      for (const { schema, example } of Object.values(content)) {
        if (example === undefined) continue
        checked += 1
        expect(problems(document, schema, example)).toEqual([])
      }
    }
  }
  expect(checked).toBeGreaterThan(50)
})

test('cacheable reads document the entity tag, If-None-Match and 304', () => {
  const cacheable = operations.filter(({ operation }) => operation.responses['304'] !== undefined)
  expect(cacheable.map(({ path }) => path).sort()).toEqual([
    '/agents',
    '/agents/{pda}',
    '/agents/{pda}/history',
    '/did/{did}',
    '/did/{did}/document',
    '/idl.json',
    '/stakes',
    '/stakes/{pda}',
  ])
  for (const { operation } of cacheable) {
    for (const status of ['200', '304']) expect(operation.responses[status]?.headers?.['etag']).toBeDefined()
    expect(operation.responses['304']?.content).toBeUndefined()
    const names = operation.parameters?.filter((each) => each.in === 'header').map(({ name }) => name)
    expect(names).toEqual(['if-none-match'])
  }
})
