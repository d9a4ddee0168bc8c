import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startLocalnet } from '@agent-registry/localnet'
import { PROGRAM_FILE, registryIdl } from '@agent-registry/program'
import { pubkey } from '@agent-registry/solana'
import { startLedger } from '../../../src/compose/ledger.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { keyOf, loadLocalnetKeys } from '../../../src/platform/keys.ts'
import { OperatorError } from '../../../src/platform/process/operator-error.ts'
import { HOSTILE_FILE } from '../../support/hostile-program/build.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const logger = pino({ level: 'silent' })

async function createLedger(dataDir: string, change: (elf: Buffer) => Buffer): Promise<void> {
  const keys = loadLocalnetKeys(dataDir)
  const program = {
    programId: pubkey(registryIdl.address),
    elf: change(readFileSync(PROGRAM_FILE)),
    authority: keyOf(keys.registryAdmin),
  }
  const genesis = { faucet: keys.faucet, programs: [program] }
  const localnet = await startLocalnet({ dataDir: join(dataDir, 'localnet'), slotMs: 0, logger, genesis })
  await localnet.close()
}

const start = (dataDir: string) =>
  startLedger(readConfig({ DATA_DIR: dataDir, PORT: '0', LOCALNET_PORT: '0', SEED_AGENTS: '0' }).config, {
    logger,
    clock: systemClock,
  })

test('a ledger with this version of the program starts again', async () => {
  const dataDir = temporaryFolder('same-program-')
  await createLedger(dataDir, (elf) => elf)
  const ledger = await start(dataDir)
  expect(ledger.localnet).not.toBeNull()
  await ledger.stop()
})

test.each([
  ['other code', (elf: Buffer) => elf.with(elf.length - 1, elf.at(-1)! ^ 1) as Buffer],
  ['a shorter program', () => readFileSync(HOSTILE_FILE)],
])('a ledger with %s is refused with one line that says what to do', async (_, change) => {
  const dataDir = temporaryFolder('other-program-')
  await createLedger(dataDir, change)
  const failure = await start(dataDir).then(
    () => null,
    (error: unknown) => error as Error,
  )
  expect(failure).toBeInstanceOf(OperatorError)
  expect(failure?.message).toBe(
    `DATA_DIR: the ledger in ${dataDir} has the registry program of another version, whose events this version cannot read. ` +
      'Set DATA_DIR to a new directory, or start the version that created it.',
  )
})
