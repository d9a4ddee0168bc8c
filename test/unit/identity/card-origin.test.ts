import { expect, test } from 'vitest'
import { cardOrigin } from '../../../src/identity/sites.ts'

test.each([
  ['https://a.b.Example.com/card.json', 'a.b.example.com', 'example.com'],
  ['https://a.example.com:8443/card', 'a.example.com:8443', 'example.com'],
  ['https://alice.github.io/card', 'alice.github.io', 'alice.github.io'],
  ['https://203.0.113.7/card', '203.0.113.7', '203.0.113.7'],
  ['ipfs://bafy/card', 'ipfs:', 'ipfs:'],
  ['ar://abc', 'ar:', 'ar:'],
  ['did:web:a.example.com:agents:1#card', 'a.example.com', 'example.com'],
  ['did:web:a.example.com%3A8443', 'a.example.com:8443', 'example.com'],
  ['did:sol:abc#agent-card', 'did:sol:abc', 'did:sol:abc'],
  ['did:web:', 'did:web:', 'did:web:'],
  ['nothing', '', ''],
  ['data:text/plain,a', 'data:', 'data:'],
])('the card at %j is fetched first from the host %j of the site %j', (url, host, site) => {
  expect(cardOrigin(url)).toEqual({ host, site })
})
