import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { webhookSecretBox } from '../../../src/compose/gateway.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { loadOrCreateSecretsKey, parseSecretsKey } from '../../../src/platform/keys.ts'
import { createSecretBox } from '../../../src/webhooks/secret-box.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]

describe('secret box', () => {
  test('decrypts a secret only for the subscription that it was encrypted for', () => {
    const box = createSecretBox([oldKey])
    const sealed = box.seal('a', 'whsec_é')
    expect(box.open('a', sealed)).toBe('whsec_é')
    expect(sealed.includes('whsec')).toBe(false)
    expect(box.seal('a', 'whsec_é')).not.toEqual(sealed)
    expect(() => box.open('b', sealed)).toThrow('belongs to another webhook')
  })

  test('detects any modified bit', () => {
    const box = createSecretBox([oldKey])
    const sealed = box.seal('a', 'secret')
    for (let i = 0; i < sealed.length; i += 1) {
      const altered = Buffer.from(sealed)
      altered[i] = altered[i]! ^ 1
      expect(() => box.open('a', altered)).toThrow(/cannot decrypt|does not contain/)
    }
    for (const length of [0, 4, 5, 20, sealed.length - 1])
      expect(() => box.open('a', sealed.subarray(0, length))).toThrow(/cannot decrypt|does not contain/)
  })

  test('encrypts with the first key, decrypts with all keys, and names the setting if the key is unknown', () => {
    const sealed = createSecretBox([oldKey]).seal('a', 'secret')
    const both = createSecretBox([newKey, oldKey])
    expect(both.open('a', sealed)).toBe('secret')
    expect(createSecretBox([newKey]).open('a', both.seal('a', 'secret'))).toBe('secret')
    expect(() => createSecretBox([newKey]).open('a', sealed)).toThrow('WEBHOOK_SECRETS_KEY')
  })

  test('needs a key', () => {
    expect(() => createSecretBox([])).toThrow('needs a key')
  })
})

describe('WEBHOOK_SECRETS_KEY', () => {
  test('has 32 bytes in hex, base64 or base64url', () => {
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(parseSecretsKey(oldKey.toString(encoding))).toEqual(oldKey)
    for (const wrong of [
      '',
      'x',
      oldKey.toString('hex').slice(2),
      randomBytes(31).toString('base64'),
      randomBytes(33).toString('base64'),
    ])
      expect(parseSecretsKey(wrong)).toBeNull()
  })

  test('is created once in DATA_DIR on the localnet, readable only by its owner', () => {
    const dataDir = temporaryFolder('secrets-key-')
    const { config, secrets } = readConfig({ DATA_DIR: dataDir })
    const sealed = webhookSecretBox(config, secrets)!.seal('a', 'secret')
    expect(webhookSecretBox(config, secrets)?.open('a', sealed)).toBe('secret')
    const path = join(dataDir, 'keys', 'webhook-secrets-key')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(parseSecretsKey(readFileSync(path, 'utf8').trim())).not.toBeNull()
    chmodSync(path, 0o644)
    expect(() => loadOrCreateSecretsKey(dataDir)).toThrow('chmod 600')
    chmodSync(path, 0o600)
    writeFileSync(path, 'not a key')
    expect(() => loadOrCreateSecretsKey(dataDir)).toThrow('32 bytes')
  })

  test('is required with an RPC URL if a role needs it, and error texts do not contain its value', () => {
    const cluster = { SOLANA_RPC_URL: 'https://rpc.example.org' }
    const boxFor = (env: Record<string, string>) => {
      const { config, secrets } = readConfig({ ...cluster, ...env })
      return webhookSecretBox(config, secrets)
    }
    expect(() => boxFor({})).toThrow('WEBHOOK_SECRETS_KEY is required')
    expect(() => boxFor({ ROLES: 'webhooks' })).toThrow('WEBHOOK_SECRETS_KEY is required')
    expect(boxFor({ ROLES: 'indexer' })).toBeNull()
    const sealed = createSecretBox([oldKey]).seal('a', 'secret')
    const keys = `${newKey.toString('base64')}, ${oldKey.toString('hex')}`
    expect(boxFor({ WEBHOOK_SECRETS_KEY: keys })?.open('a', sealed)).toBe('secret')
    expect(() => readConfig({ WEBHOOK_SECRETS_KEY: 'hunter2' })).toThrow(
      /^(?!.*hunter2).*WEBHOOK_SECRETS_KEY must be/s,
    )
  })
})
