import { afterEach, expect, test } from 'vitest'
import { createGatewayProcess, type GatewayProcess } from '../../support/gateway-process.ts'

let gateway: GatewayProcess | undefined
afterEach(() => gateway?.remove())

const INSTEAD = 'to use a Solana cluster, or LOCALNET=true to start it anyway'

test.each([
  [{ HOST: '0.0.0.0' }, `HOST is 0.0.0.0. Set SOLANA_RPC_URL ${INSTEAD}`],
  [{ HOST: '::' }, `HOST is ::. Set SOLANA_RPC_URL ${INSTEAD}`],
  [{ NODE_ENV: 'production' }, `NODE_ENV is production. Set SOLANA_RPC_URL ${INSTEAD}`],
])('with %j and without a cluster the start fails with one line', async (env, reason) => {
  gateway = await createGatewayProcess({ SEED_AGENTS: '0', ...env })
  await expect(gateway.start()).rejects.toThrow('the gateway ended with code 1')
  expect(gateway.output()).toBe(`The localnet is only for development, and ${reason}\n`)
})

test('a command that needs a ledger starts none there either', async () => {
  gateway = await createGatewayProcess({ NODE_ENV: 'production' })
  expect(await gateway.cli('audit')).toEqual({
    code: 1,
    stdout: '',
    stderr: `The localnet is only for development, and NODE_ENV is production. Set SOLANA_RPC_URL ${INSTEAD}\n`,
  })
})

test('LOCALNET=true starts it on every address, without receivers on http and loopback', async () => {
  gateway = await createGatewayProcess({
    SEED_AGENTS: '0',
    HOST: '0.0.0.0',
    NODE_ENV: 'production',
    LOCALNET: 'true',
  })
  await gateway.start()
  expect(gateway.output()).not.toContain('WEBHOOK_DEV_MODE is on')
})

test('on loopback it starts with receivers on http and loopback, and says so', async () => {
  gateway = await createGatewayProcess({ SEED_AGENTS: '0' })
  await gateway.start()
  expect(gateway.output()).toContain('WEBHOOK_DEV_MODE is on')
})
