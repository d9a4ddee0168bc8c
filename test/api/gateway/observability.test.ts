import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGatewayProcess, type GatewayProcess } from '../../support/gateway-process.ts'

let gateway: GatewayProcess
let shown: Set<string>

beforeAll(async () => {
  gateway = await createGatewayProcess({ SEED_AGENTS: '0' })
  const { baseUrl } = await gateway.start()
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  shown = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? ''))
})
afterAll(() => gateway.remove())

test.each([['grafana-dashboard.json'], ['alerts.yaml']])(
  'ops/%s names metrics that a gateway has',
  (file) => {
    const text = readFileSync(new URL(`../../../ops/${file}`, import.meta.url), 'utf8')
    const named = new Set(text.match(/\b(gateway|process|nodejs)_[a-z0-9_]+/g))
    expect(named.size).toBeGreaterThan(8)
    const families = Array.from(named, (name) => name.replace(/_seconds_(bucket|count)$/, '_seconds'))
    expect(families.filter((name) => !shown.has(name))).toEqual([])
  },
)
