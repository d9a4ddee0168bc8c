import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  ConfigError,
  hostNamesOf,
  misspelledSettings,
  readConfig,
} from '../../../src/platform/config/config.ts'
import { SETTINGS } from '../../../src/platform/config/settings.ts'

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('readConfig', () => {
  test('returns the documented defaults for an empty environment', () => {
    const { config, secrets } = readConfig({ PORT: '', LOG_LEVEL: ' ' })
    expect(config.server).toMatchObject({ host: '127.0.0.1', port: 3000, trustProxy: [] })
    expect(config.rateLimits).toMatchObject({ reads: 600, register: 20 })
    const localnet = { port: 8899, slotMs: 400, finalitySlots: 32, seedAgents: 24, refusedBecause: null }
    expect(config.localnet).toEqual(localnet)
    expect([...config.roles]).toEqual(['api', 'indexer', 'webhooks', 'cards'])
    expect(config.webhooks).toEqual({ devMode: true, allowedPorts: [443], dailyPerNetwork: 100 })
    expect(config.databaseUrl).toBeNull()
    expect(secrets.feePayerKeypair).toBeNull()
  })

  test('reports all problems together, each with its name and the allowed values', () => {
    const problems = problemsOf({
      PORT: '70000',
      SEED_AGENTS: '-1',
      COMMITMENT: 'processed',
      ROLES: 'api,poet',
      REGISTRY_PROGRAM_ID: 'x',
      SOLANA_WS_URL: 'ws://127.0.0.1:8900',
    })
    expect(problems).toHaveLength(6)
    expect(problems[0]).toContain('PORT must be an integer from 0 to 65535, got "70000"')
    expect(problems.join('\n')).toContain('COMMITMENT must be one of confirmed, finalized, got "processed"')
    expect(problems.join('\n')).toContain('SOLANA_WS_URL is set without SOLANA_RPC_URL')
  })

  test('reports a misspelled setting with the problem that it may cause', () => {
    expect(problemsOf({ PORTS: '4000', SEED_AGENTS: '-1' })).toEqual([
      expect.stringContaining('SEED_AGENTS must be'),
      'PORTS is not a setting and is ignored; did you mean PORT?',
    ])
  })

  test('never repeats a value that may be a secret', () => {
    const [problem] = problemsOf({ DATABASE_URL: 'mysql://user:hunter2@host/x' })
    expect(problem).toContain('DATABASE_URL must be a URL with scheme postgres or postgresql')
    expect(problem).not.toContain('hunter2')
  })

  test('lets a developer register 1,000 agents on the localnet, and five a day on a cluster', () => {
    const limitsOf = (env: Record<string, string>) => readConfig(env).config.sponsorship
    expect(limitsOf({})).toMatchObject({ dailyRegistrationsPerClient: 1_000, dailyBudget: 10_000_000_000n })
    expect(limitsOf({ SPONSOR_DAILY_PER_CLIENT: '3' }).dailyRegistrationsPerClient).toBe(3)
    expect(limitsOf({ SOLANA_RPC_URL: 'https://rpc.example.org' })).toMatchObject({
      dailyRegistrationsPerClient: 5,
      dailyBudget: 1_000_000_000n,
    })
  })

  test('turns webhook dev mode off if a real cluster is configured', () => {
    const { config } = readConfig({ SOLANA_RPC_URL: 'https://rpc.example.org' })
    expect(config.webhooks.devMode).toBe(false)
  })

  test.each([
    [{}, null, true],
    [{ HOST: 'LocalHost', NODE_ENV: 'test' }, null, true],
    [{ HOST: '127.9.9.9' }, null, true],
    [{ HOST: '::1' }, null, true],
    [{ HOST: '0.0.0.0' }, 'HOST is 0.0.0.0', false],
    [{ HOST: '::' }, 'HOST is ::', false],
    [{ HOST: '192.168.1.5' }, 'HOST is 192.168.1.5', false],
    [{ HOST: 'localhost.example.org' }, 'HOST is localhost.example.org', false],
    [{ NODE_ENV: 'production' }, 'NODE_ENV is production', false],
    [{ NODE_ENV: 'Prod' }, 'NODE_ENV is Prod', false],
    [{ HOST: '0.0.0.0', LOCALNET: 'true' }, null, false],
    [{ NODE_ENV: 'production', LOCALNET: 'true' }, null, false],
    [{ HOST: '0.0.0.0', LOCALNET: 'true', WEBHOOK_DEV_MODE: 'true' }, null, true],
  ])('with %j development defaults are safe', (env: Record<string, string>, refusedBecause, devMode) => {
    const { config } = readConfig(env)
    expect([config.localnet.refusedBecause, config.webhooks.devMode]).toEqual([refusedBecause, devMode])
  })

  const RPC = { SOLANA_RPC_URL: 'https://rpc.example.org' }
  const PAGES = { ...RPC, BASE_URL: 'https://a.example', CORS_ORIGINS: 'https://b.example,https://a.example' }
  test.each([
    [{}, ['http://127.0.0.1:3000'], true],
    [{ PORT: '0' }, ['http://localhost'], true],
    [{ HOST: '::1' }, ['http://localhost'], true],
    [{ NODE_ENV: 'production', BASE_URL: 'https://a.example/x' }, ['https://a.example'], false],
    [{ ...RPC, CORS_ORIGINS: '*' }, ['http://127.0.0.1:3000'], false],
    [PAGES, ['https://a.example', 'https://b.example'], false],
    [
      { ...PAGES, SIGN_IN_ORIGINS: 'https://c.example:8443' },
      ['https://a.example', 'https://c.example:8443'],
      false,
    ],
  ])('with %j users may sign in on pages of %j', (env: Record<string, string>, origins, anyLoopback) => {
    expect(readConfig(env).config.signIn).toEqual({ origins, anyLoopback })
  })

  test.each(['*', 'https://a.example/', 'a.example', 'https://a.example/login'])(
    'SIGN_IN_ORIGINS refuses %j, which is not the origin of a page',
    (given) => {
      expect(problemsOf({ SIGN_IN_ORIGINS: given })[0]).toContain(
        `SIGN_IN_ORIGINS must be an origin such as https://app.example.org, got "${given}"`,
      )
    },
  )

  test('LOCALNET and SOLANA_RPC_URL exclude each other', () => {
    expect(problemsOf({ LOCALNET: 'true', SOLANA_RPC_URL: 'https://rpc.example.org' })).toEqual([
      'LOCALNET is true and SOLANA_RPC_URL is set: set one of them',
    ])
  })
})

test.each([
  [{}, ['127.0.0.1']],
  [{ HOST: 'Gateway' }, ['gateway']],
  [{ BASE_URL: 'https://Registry.example:8443', HOST: '0.0.0.0' }, ['0.0.0.0', 'registry.example']],
  [{ BASE_URL: 'https://registry.example', TRUST_PROXY: '10.0.0.0/8' }, ['127.0.0.1', 'registry.example']],
  [{ TRUST_PROXY: '10.0.0.0/8' }, null],
])('with %j the service uses %j', (env: Record<string, string>, names) => {
  expect(hostNamesOf(readConfig(env).config.server)).toEqual(names)
})

test.each([
  ['true', true],
  ['on', true],
  ['false', false],
  ['off', false],
])('every switch accepts %s', (text, value) => {
  const { config } = readConfig({ RATE_LIMITS: text, SPONSORSHIP_ENABLED: text, WEBHOOK_DEV_MODE: text })
  const { rateLimits, sponsorship, webhooks } = config
  expect([rateLimits !== null, sponsorship.enabled, webhooks.devMode]).toEqual([value, value, value])
  expect(problemsOf({ SPONSORSHIP_ENABLED: 'yes' })).toEqual([
    expect.stringContaining('SPONSORSHIP_ENABLED must be true or false, got "yes"'),
  ])
})

test('RATE_LIMITS changes the limits that it names', () => {
  const usual = readConfig({}).config.rateLimits!
  expect(readConfig({ RATE_LIMITS: 'true' }).config.rateLimits).toEqual(usual)
  expect(readConfig({ RATE_LIMITS: 'reads=1200, sponsoredPrepare=1' }).config.rateLimits).toEqual({
    ...usual,
    reads: 1200,
    sponsoredPrepare: 1,
  })
})

test.each([
  'yes',
  'reads',
  'reads=0',
  'reads=1000001',
  'reads=1.5',
  'toString=5',
  'reads=5,',
  'reads=5,x=1',
  'reads=5,reads=6',
])('RATE_LIMITS refuses %j', (given) => {
  expect(problemsOf({ RATE_LIMITS: given })).toEqual([
    expect.stringContaining(
      `RATE_LIMITS must be true, false, or limits such as reads=1200,verify=5, each once and from 1 to 1000000, got "${given}"`,
    ),
  ])
})

test('MAX_REQUESTS_IN_FLIGHT=0 queues every request', () => {
  expect(readConfig({ MAX_REQUESTS_IN_FLIGHT: '0' }).config.overload).toBeNull()
  expect(readConfig({}).config.overload).toEqual({ inFlight: 1_000 })
})

test.each([
  [{}, 2_000],
  [{ INDEXER_POLL_MS: '60000' }, 2_000],
  [{ INDEXER_POLL_MS: '100' }, 200],
])('with %j finality is checked every %i ms', (env: Record<string, string>, verifyMs) => {
  expect(readConfig(env).config.indexer.verifyMs).toBe(verifyMs)
})

describe('misspelledSettings', () => {
  test.each([
    ['SOLANA_RPC', 'SOLANA_RPC_URL'],
    ['SEED_AGENT', 'SEED_AGENTS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['ROLE', 'ROLES'],
    ['WEBHOOKS_DEV_MODE', 'WEBHOOK_DEV_MODE'],
  ])('%s is reported as %s', (given, meant) => {
    expect(misspelledSettings({ [given]: '1', PATH: '/bin' })).toEqual([
      `${given} is not a setting and is ignored; did you mean ${meant}?`,
    ])
  })

  test.each([
    'HOME',
    'HOSTNAME',
    'PGHOST',
    'NODE_ENV',
    'DATABASE',
    'SSH_PORT',
    'LOGNAME',
    'PORT',
    'SEED_AGENTS',
  ])('does not report %s', (given) => {
    expect(misspelledSettings({ [given]: '1' })).toEqual([])
  })

  test('reports a setting that was removed, unless it asked for nothing', () => {
    expect(misspelledSettings({ API_PROCESSES: '4' })).toEqual([
      expect.stringContaining('API_PROCESSES is not a setting any more'),
    ])
    expect(misspelledSettings({ SEARCH_INDEX_BYTES: '0' })).toEqual([
      expect.stringContaining('names count in REGISTRY_BYTES'),
    ])
    for (const value of ['1', ' ', undefined])
      expect(misspelledSettings({ API_PROCESSES: value })).toEqual([])
    expect(misspelledSettings({ RESPONSE_CACHE_BYTES: '67108864' })).toEqual([
      'RESPONSE_CACHE_BYTES is not a setting any more and is ignored: responses are not cached any more',
    ])
    expect(misspelledSettings({ RESPONSE_CACHE_BYTES: '0' })).toEqual([])
    expect(misspelledSettings({ RATE_LIMIT_VERIFY: '50', LOAD_SHEDDING: 'false' })).toEqual([
      'RATE_LIMIT_VERIFY is not a setting any more and is ignored: add verify=50 to RATE_LIMITS',
      'LOAD_SHEDDING is not a setting any more and is ignored: set MAX_REQUESTS_IN_FLIGHT=0 to queue every request',
    ])
    expect(misspelledSettings({ RATE_LIMIT_VERIFY: '20', LOAD_SHEDDING: 'on' })).toEqual([])
  })

  test('a removed limit that was stricter than the default stops the start', () => {
    const expected = 'RATE_LIMIT_VERIFY is not a setting any more: add verify=5 to RATE_LIMITS'
    expect(problemsOf({ RATE_LIMIT_VERIFY: ' 5 ' })).toEqual([expected])
    expect(problemsOf({ RATE_LIMIT_VERIFY: '50' })).toEqual([])
  })
})

describe('documentation of the settings', () => {
  const read = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')

  test.each(['docs/reference/settings.md', '.env.example'])(
    '%s names every setting with its default',
    (file) => {
      const text = read(file)
      for (const [name, setting] of Object.entries(SETTINGS)) {
        const line = text
          .split('\n')
          .find((each) => each.includes(file.endsWith('.md') ? `| \`${name}\`` : `${name}=`))
        expect(line, `${name} is missing in ${file}`).toContain(setting.default ?? name)
      }
    },
  )
})
