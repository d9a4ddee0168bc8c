import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { signDelivery } from '../../../src/webhooks/send.ts'
import { useConsole } from './support/console-world.ts'
import { codeBlockOf, readGuide } from '../../support/guide.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const { test } = useConsole({ SEED_AGENTS: '0' })

test('the event catalogue shows an example of each type', async ({ page, open }) => {
  await open('/events')
  const examples = page.getByRole('region', { name: /^Example of / })
  await expect.poll(() => examples.count()).toBe(14)
  await page.getByLabel('Show').selectOption('Stakes')
  await expect.poll(() => examples.count()).toBe(5)
  await page.getByRole('region', { name: 'Example of stake.deposited' }).getByText('"amount"').waitFor()
})

/** Lines without indentation, so that a function is the same inside and outside of a class. */
const linesOf = (code: string): string[] =>
  code
    .split('\n')
    .map((line) => line.trim().replace(/^var (?=secret)/, ''))
    .filter((line) => line !== '')

test('the verification code is that of the guide, whose programs have tests, and its TypeScript works', async ({
  page,
  open,
}) => {
  await open('/events')
  const section = page.getByRole('region', { name: 'Verify requests' })
  const shown = async (language: string): Promise<string> => {
    await section.getByRole('tab', { name: language }).click()
    return section.getByRole('region', { name: language }).innerText()
  }
  const guide = readGuide('receive-webhooks')
  for (const language of ['Python', 'Go', 'Java']) {
    const program = linesOf(codeBlockOf(guide, language.toLowerCase()))
    const lines = linesOf(await shown(language))
    expect(lines.filter((line) => !program.includes(line))).toEqual([])
    const start = lines.findIndex((line) => /^(def|func|static void) verify/.test(line))
    const verify = lines.slice(start)
    expect(start).toBeGreaterThan(0)
    expect(program.slice(program.indexOf(verify[0]!)).slice(0, verify.length)).toEqual(verify)
  }
  expect(await answers(await shown('TypeScript'))).toBe('200 400')
})

/** The responses of the code to a request with the right signature and to one with a wrong one. */
async function answers(code: string): Promise<string> {
  const folder = temporaryFolder('verification-')
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  const timestamp = Math.floor(Date.now() / 1_000)
  const body = '{"id":"evt_1","type":"ping"}'
  const signature = signDelivery({ secret: 'whsec_right', timestamp, body })
  writeFileSync(
    join(folder, 'receiver.mts'),
    `${code}
    const send = (signature: string) => receive(new Request('http://localhost', { method: 'POST',
      body: ${JSON.stringify(body)}, headers: { 'X-Service-Timestamp': '${timestamp}', 'X-Service-Signature': signature } }))
    console.error((await send('${signature}')).status, (await send('${'0'.repeat(64)}')).status)`,
  )
  const env = { ...process.env, WEBHOOK_SECRET: 'whsec_right' }
  const { stderr } = await promisify(execFile)(process.execPath, ['receiver.mts'], { cwd: folder, env })
  return stderr.trim()
}
