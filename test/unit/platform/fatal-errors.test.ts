import { expect, test } from 'vitest'
import { LedgerRpcError, UncertainResultError } from '../../../src/ledger/rpc/rpc-error.ts'
import { formatFatalError } from '../../../src/platform/process/operator-error.ts'

const systemError = (fields: object): Error => Object.assign(new Error('failed'), fields)

test.each([
  [
    new UncertainResultError('a ledger node does not respond: number 2'),
    'a ledger node does not respond: number 2',
  ],
  [new LedgerRpcError('transport', 'the ledger node cannot be reached'), 'the ledger node cannot be reached'],
  [
    systemError({ code: 'EACCES', syscall: 'mkdir', path: '/data' }),
    '/data cannot be used (mkdir: EACCES): check',
  ],
  [
    systemError({ code: 'ENOSPC', syscall: 'write', path: '/data/x' }),
    '/data/x cannot be used (write: ENOSPC): check',
  ],
  [
    systemError({ code: 'EACCES', syscall: 'listen', address: '0.0.0.0', port: 80 }),
    '0.0.0.0:80 cannot be used (EACCES): set HOST',
  ],
])('what an operator can fix is one line: %s', (error, text) => {
  expect(formatFatalError(error)).toContain(text)
  expect(formatFatalError(error)).not.toContain('\n')
})

test('a defect keeps its stack trace', () => {
  expect(formatFatalError(new TypeError('no function'))).toMatch(/TypeError: no function\n\s+at /)
})
