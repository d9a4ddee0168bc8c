import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { audit } from '../../src/ledger/audit/audit.ts'
import { programId, type RegistryWorld } from '../support/ledger/registry-world.ts'
import { kyselyOf } from '../support/ledger/tables.ts'
import { seedOf } from '../support/property.ts'
import { compareDeliveries, compareEvents } from './support/ledger-oracle.ts'
import { type ModelRun, startModelRun } from './support/model-run.ts'
import { injectFault } from './support/random-faults.ts'
import { randomOf } from './support/random.ts'
import { RandomOperations } from './support/random-operations.ts'
import { scaled } from '../support/machine-speed.ts'

const ROUNDS = Number(process.env.LEDGER_MODEL_ROUNDS ?? 200)
const SEED = seedOf()
/** Each check reads the whole ledger, so the test starts a new ledger from time to time. */
const ROUNDS_PER_LEDGER = 25
const DAY = 86_400

let run: ModelRun | undefined
afterAll(() => run?.close())

test(`after ${ROUNDS} rounds of random operations and faults from seed ${SEED} the tables equal the ledger`, async () => {
  let sent = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % ROUNDS_PER_LEDGER === 0) {
      await run?.close()
      run = await startModelRun()
    }
    const outcome = await playRound(run ?? (await startModelRun()), SEED + round)
    expect(outcome.found).toEqual(outcome.expected)
    sent += outcome.sent
  }
  process.stdout.write(`${ROUNDS} rounds from seed ${SEED}: ${sent} transactions sent, 0 differences\n`)
}, 14_400_000)

interface Outcome {
  sent: number
  found: unknown
  expected: unknown
}

async function playRound(model: ModelRun, seed: number): Promise<Outcome> {
  const { world, orm, wallets } = model
  const random = randomOf(seed)
  const operations = new RandomOperations(world, random, wallets)
  const faults: string[] = []
  for (let step = random.integer(5, 40); step > 0; step -= 1) {
    if (random.chance(0.35)) faults.push(await injectFault(world, random, model))
    else if (random.chance(0.04)) world.localnet.warp(random.pick([1, 8, 31]) * DAY)
    else if (random.chance(0.15)) await model.walletSends.send(random.pick(wallets), random)
    else await operations.send()
    if (random.chance(0.3)) world.localnet.stepSlot(random.integer(1, 6))
    if (random.chance(0.3)) await delay(random.integer(1, 60))
  }
  world.localnet.fault.clear()
  const story = `seed ${seed}: ${operations.sent.length} transactions, ${faults.join(' ') || 'no faults'}`
  process.stdout.write(`${story}\n`)
  await caughtUp(world, model, story)
  world.localnet.stepSlot(200)
  // While the only node hid transactions, nobody could find them.
  const wasHidden = faults.includes('hide')
  const wasForked = faults.includes('fork')
  const prepared = await model.walletSends.compare({ wasHidden, wasForked })
  // The tracker may have sent some of them again since, so their events are not final yet.
  await caughtUp(world, model, story)

  const report = await audit({ orm, rpc: world.rpc, programId, settleMs: 10_000 })
  const events = await compareEvents(world, orm)
  const deliveries = await compareDeliveries(orm)
  const { differences, unreadable } = report
  const landed = prepared.relay.filter(({ status }) => status === 'confirmed').length
  process.stdout.write(
    `  ${report.accounts} accounts, ${report.events} events, ${await orphans(model)} orphaned, ${prepared.relay.length} prepared (${landed} confirmed)\n`,
  )
  return {
    sent: operations.sent.length,
    found: {
      story,
      prepared: prepared.relay,
      differences,
      unreadable,
      events: events.tables,
      deliveries: deliveries.actual,
    },
    expected: {
      story,
      prepared: prepared.ledger,
      differences: [],
      unreadable: [],
      events: events.ledger,
      deliveries: deliveries.expected,
    },
  }
}

async function orphans({ orm }: ModelRun): Promise<number> {
  const { count } = await kyselyOf(orm)
    .selectFrom('ledger_events')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('finality', '=', 'orphaned')
    .executeTakeFirstOrThrow()
  return count
}

/** Waits until everything of the round is final, and the indexer has checked that. */
async function caughtUp(world: RegistryWorld, model: ModelRun, story: string): Promise<void> {
  world.localnet.stepSlot(40)
  const final = await world.rpc.call<number>('getSlot', [{ commitment: 'finalized' }])
  const checked = async (): Promise<number> =>
    (await kyselyOf(model.orm).selectFrom('indexer_state').select('finalized_slot').executeTakeFirst())
      ?.finalized_slot ?? 0
  try {
    await expect
      .poll(checked, { timeout: scaled(60_000), interval: 20, message: story })
      .toBeGreaterThanOrEqual(final)
  } catch (error) {
    process.stdout.write(`the gateway said of late:\n${model.lastWords()}\n`)
    throw error
  }
}
