import { expect, test } from 'vitest'
import { idlOf } from '@agent-registry/program'
import { AGENT_LIMITS, CARD_URL_SCHEMES, isCardUrl } from '../../../src/domain/agent-limits.ts'
import { PROGRAM } from '../../support/app.ts'

test('the limits of agents are those that the registry program names', () => {
  const { nameBytes, versionBytes, cardUrlBytes } = AGENT_LIMITS
  const texts = new Map(idlOf(PROGRAM).errors.map(({ name, msg }) => [name, msg]))
  expect(texts.get('InvalidName')).toContain(`1 to ${nameBytes} bytes`)
  expect(texts.get('InvalidVersion')).toContain(`0 to ${versionBytes} bytes`)
  expect(texts.get('InvalidCardUrl')).toContain(`1 to ${cardUrlBytes} bytes with scheme ${CARD_URL_SCHEMES}`)
})

test('a card URL has one of the schemes, in lower case', () => {
  for (const url of ['https://a.example', 'ipfs://a', 'ar://a', 'did:web:a.example'])
    expect(isCardUrl(url)).toBe(true)
  for (const url of ['http://a.example', 'HTTPS://a.example', 'file:///a', 'https', '', 'x https://a'])
    expect(isCardUrl(url)).toBe(false)
})
