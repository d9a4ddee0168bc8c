import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { installedTools } from '../tools/install.ts'
import { perFile } from '../support/lifetime.ts'

const gateway = perFile(() =>
  startGatewayInProcess({ SEED_AGENTS: '1', CORS_ORIGINS: 'https://console.example' }),
)
let folder: string
beforeAll(async () => {
  folder = installedTools('mcp-conformance')
})

test('the official suite passes, except for scenarios that need its fixtures or features that are not offered', async () => {
  // It exits with 1 also if a scenario passes that is listed as a failure.
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'),
    'server',
    `--url=${gateway.runtime.baseUrl}/mcp`,
    '--suite=all',
    `--expected-failures=${join(folder, 'expected-failures.yml')}`,
  ])
  const passed = [...stdout.matchAll(/^✓ ([\w-]+): [1-9]/gm)].map(([, name]) => name)
  expect(passed).toEqual([
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ])
})
