import { expect, test } from 'vitest'
import { createAdmission } from '../../../src/platform/overload/admission.ts'

/** An admission whose database queue does not become shorter. */
function delayed(requests: Readonly<Record<string, number>>) {
  let now = 0
  const queue = { connections: 10, length: 0, acquired: 0 }
  const limits = { inFlight: 1_000 }
  const admission = createAdmission({ queue, clock: { now: () => now }, limits })
  for (const [client, count] of Object.entries(requests))
    for (let i = 0; i < count; i += 1) admission.admit('low', client)
  queue.length = 100
  for (const time of [0, 1_000]) {
    now = time
    admission.check('low', '192.0.2.1')
  }
  return admission
}

test('a queue for the database is refused to the networks that made it, and not to others', () => {
  const admission = delayed({ '192.0.2.2': 80, '192.0.2.3': 80 })
  expect(() => admission.check('low', '192.0.2.2')).toThrow('overloaded')
  expect(() => admission.check('low', '192.0.2.1')).not.toThrow()
})

test('if no network has more than others, all are refused', () => {
  const clients = Array.from({ length: 160 }, (_, i) => [`198.51.100.${i}`, 1])
  expect(() => delayed(Object.fromEntries(clients))).toThrow('overloaded')
})
