import { createSignInMessageText, parseSignInMessageText } from '@solana/wallet-standard-util'
import * as fc from '../../support/property.ts'
import { expect, test } from 'vitest'
import { isDomainError } from '../../../src/domain/errors.ts'
import { parseSignInMessage, writeSignInMessage } from '../../../src/identity/sessions/sign-in.ts'
import { scaled } from '../../support/machine-speed.ts'

const address = 'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'
/** One line without spaces at its ends. */
const line = fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/)
const statement = line.filter((text) => !/^(URI|Resources):/.test(text))
const fields = fc.record(
  {
    domain: fc.stringMatching(/^[a-z0-9.:-]{1,20}$/),
    uri: line,
    version: line,
    chainId: line,
    nonce: line,
    issuedAt: line,
    expirationTime: line,
    notBefore: line,
    requestId: line,
  },
  { requiredKeys: ['domain', 'uri', 'version', 'chainId', 'nonce', 'issuedAt'] },
)

test('messages are written and read as by the library of the Wallet Standard', () => {
  fc.assert(
    fc.property(fields, statement, fc.option(fc.array(line, { minLength: 1 })), (given, says, resources) => {
      const message = { ...given, address }
      const text = createSignInMessageText({ ...message, statement: says })
      expect(writeSignInMessage(message, says)).toBe(text)
      expect(parseSignInMessage(text)).toEqual(message)
      const full = createSignInMessageText({
        ...message,
        statement: says,
        ...(resources === null ? {} : { resources }),
      })
      expect(parseSignInMessage(full)).toEqual(message)
      expect(parseSignInMessage(createSignInMessageText(message))).toEqual(message)
    }),
  )
})

test('each text is read as the library reads it, or refused', () => {
  const part = fc.oneof(
    line,
    fc.constantFrom(
      '',
      'URI: x',
      'Version: 1',
      'Chain ID: c',
      'Nonce: n',
      'Issued At: t',
      'Nonce:',
      'Resources:',
    ),
  )
  const texts = fc.array(part, { maxLength: 14 }).map((lines) => {
    const first = 'app.example.org wants you to sign in with your Solana account:'
    return [first, address, '', ...lines].join('\n')
  })
  let accepted = 0
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: 'grapheme' })), (text) => {
      try {
        const parsed = parseSignInMessage(text)
        accepted += 1
        expect(parseSignInMessageText(text.trimEnd())).toMatchObject(parsed)
      } catch (error) {
        if (!isDomainError(error, 'INVALID_SIGN_IN_MESSAGE')) throw error
      }
    }),
    {
      numRuns: 1_000,
      examples: [
        [
          `d wants you to sign in with your Solana account:\n${address}\n\nURI: x\nVersion: 1\nChain ID: c\nNonce: n\nIssued At: t`,
        ],
      ],
    },
  )
  expect(accepted).toBeGreaterThan(0)
})

test('an empty line must follow the statement', () => {
  const lines = (statement: string[]) =>
    ['d wants you to sign in with your Solana account:', address, '', ...statement]
      .concat(['URI: x', 'Version: 1', 'Chain ID: c', 'Nonce: n', 'Issued At: t'])
      .join('\n')
  expect(parseSignInMessage(lines(['Log in', '']))).toMatchObject({ uri: 'x' })
  expect(() => parseSignInMessage(lines(['Log in']))).toThrow('an empty line must follow the address')
})

test('a hostile text of the maximum size is read in a few milliseconds', () => {
  const start = performance.now()
  for (const text of [
    '\n'.repeat(2_048),
    'URI: \n'.repeat(340),
    `${'a '.repeat(900)} wants you`,
    ' '.repeat(2_048),
  ])
    expect(() => parseSignInMessage(text)).toThrow('Invalid sign-in message')
  expect(performance.now() - start).toBeLessThan(scaled(500))
})
