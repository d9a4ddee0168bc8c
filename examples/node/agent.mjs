// agent.mjs: registers an agent for the wallet in KEY_FILE, changes it, and prints its history.
// GATEWAY is the address of the gateway. With INVITE_CODE the gateway pays, otherwise the wallet.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createRegistry,
  generateSigner,
  OutcomeUnknownError,
  RegistryError,
  signerFromSecretKey,
} from '@agent-registry/client'

const { GATEWAY = 'http://localhost:3000', KEY_FILE = 'wallet.json', INVITE_CODE } = process.env
const registry = createRegistry(GATEWAY)
const wallet = existsSync(KEY_FILE)
  ? await signerFromSecretKey(JSON.parse(readFileSync(KEY_FILE, 'utf8')))
  : await generateSigner()
// The file has the format of the Solana CLI. Only its owner can read it.
if (!existsSync(KEY_FILE)) writeFileSync(KEY_FILE, JSON.stringify([...wallet.secretKey]), { mode: 0o600 })

// A signed transaction is stored until its outcome is known, so that no run sends a second one.
const UNFINISHED = `${KEY_FILE}.unfinished`
const onSigned = (transaction) => writeFileSync(UNFINISHED, JSON.stringify(transaction), { mode: 0o600 })
const finish = async (work) => {
  const result = await work.catch((error) => {
    if (!(error instanceof OutcomeUnknownError)) rmSync(UNFINISHED, { force: true })
    throw error
  })
  rmSync(UNFINISHED, { force: true })
  return result
}

try {
  if (existsSync(UNFINISHED)) {
    const { status } = await finish(
      registry.transactions.resume(JSON.parse(readFileSync(UNFINISHED, 'utf8'))),
    )
    console.log('the transaction of the last run is', status)
  }
  const card = JSON.stringify({ name: 'Weather Scout', version: '1.0.0' })
  const cardUrl = 'https://agents.example.org/weather-scout/agent-card.json'
  const registration = { name: 'Weather Scout', category: 'research', cardUrl, card, inviteCode: INVITE_CODE }
  const { pda } =
    (await registry.agents.ofOwner(wallet.address)) ??
    (await finish(registry.agents.register(registration, wallet, { onSigned })))
  console.log('registered', pda)
  await registry.agents.get(pda, { waitMs: 10_000 })
  const sponsored = INVITE_CODE !== undefined
  const changes = { version: '1.0.1', capabilities: 5n }
  await finish(registry.agents.update(changes, wallet, { sponsored, onSigned }))
  let history = []
  while (history.length === 0) {
    await sleep(200) // The gateway reads the update from the ledger a moment later.
    history = (await registry.agents.history(pda).page()).history
  }
  for (const { event_type, new_value } of history) console.log(event_type, new_value)
} catch (error) {
  if (error instanceof OutcomeUnknownError) console.error(`${error.message}. Run it again to continue.`)
  else if (error instanceof RegistryError) console.error(error.status, error.message, error.logs)
  else throw error
  process.exitCode = 1
}
