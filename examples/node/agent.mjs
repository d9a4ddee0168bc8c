// agent.mjs: registers an agent for the wallet in KEY_FILE, changes it, and prints its history.
// GATEWAY is the address of the gateway. With INVITE_CODE the gateway pays, otherwise the wallet.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRegistry, generateSigner, RegistryError, signerFromSecretKey } from '@agent-registry/client'

const { GATEWAY = 'http://localhost:3000', KEY_FILE = 'wallet.json', INVITE_CODE } = process.env
const registry = createRegistry(GATEWAY)
const wallet = existsSync(KEY_FILE)
  ? await signerFromSecretKey(JSON.parse(readFileSync(KEY_FILE, 'utf8')))
  : await generateSigner()
// The file has the format of the Solana CLI. Only its owner can read it.
if (!existsSync(KEY_FILE)) writeFileSync(KEY_FILE, JSON.stringify([...wallet.secretKey]), { mode: 0o600 })

try {
  const card = JSON.stringify({ name: 'Weather Scout', version: '1.0.0' })
  const cardUrl = 'https://agents.example.org/weather-scout/agent-card.json'
  const { pda } = await registry.agents.register(
    { name: 'Weather Scout', category: 'research', cardUrl, card, inviteCode: INVITE_CODE },
    wallet,
  )
  console.log('registered', pda)
  await registry.agents.get(pda, { waitMs: 10_000 })
  const sponsored = INVITE_CODE !== undefined
  await registry.agents.update({ version: '1.0.1', capabilities: 5n }, wallet, { sponsored })
  let history = []
  while (history.length === 0) {
    await sleep(200) // The gateway reads the update from the ledger a moment later.
    history = (await registry.agents.history(pda).page()).history
  }
  for (const { event_type, new_value } of history) console.log(event_type, new_value)
} catch (error) {
  if (!(error instanceof RegistryError)) throw error
  console.error(error.status, error.message, error.logs)
  process.exitCode = 1
}
