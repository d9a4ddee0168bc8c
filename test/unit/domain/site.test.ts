import { expect, test } from 'vitest'
import { siteOf } from '../../../src/domain/client-network.ts'

test.each([
  ['example.com', 'example.com'],
  ['a.b.example.com', 'example.com'],
  ['shop.example.co.uk', 'example.co.uk'],
  ['alice.github.io', 'alice.github.io'],
  ['x.alice.github.io', 'alice.github.io'],
  ['my-app.vercel.app', 'my-app.vercel.app'],
  ['github.io', 'github.io'],
  ['localhost', 'localhost'],
  ['a.cards.test', 'cards.test'],
  ['203.0.113.7', '203.0.113.7'],
  ['[2001:db8:0:1::7]', '2001:db8:0:1::/64'],
  ['2001:db8:0:1::8', '2001:db8:0:1::/64'],
  ['', ''],
])('the site of %j is %j', (host, site) => {
  expect(siteOf(host)).toBe(site)
})
