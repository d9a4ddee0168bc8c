import { readFileSync } from 'node:fs'
import { buildSchema, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import * as documents from '../src/graphql/documents.ts'

const sdl = readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8')

test.each(Object.entries(documents))(
  'the document %s is valid in the schema of the gateway',
  (_, document) => {
    expect(validate(buildSchema(sdl), parse(document))).toEqual([])
  },
)
