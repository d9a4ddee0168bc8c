import { addresses, type AgentWallet, type RegistryWorld } from './registry-world.ts'

const DAY = 86_400
const STAKE = 600_000_000n

/** Sends the instructions that cause each type of event at least once. The agent is closed then. */
export async function causeEveryEvent(world: RegistryWorld): Promise<AgentWallet> {
  const wallet = await world.wallet('Ada')
  const stake = addresses.stake(wallet.agent)
  await wallet.send('update_agent', {}, { version: '2.0' })
  await world.report(wallet.agent, 12)
  await wallet.send('deposit', {}, { amount: STAKE })
  await wallet.send('request_withdrawal', { stake }, { amount: STAKE })
  await wallet.send('cancel_withdrawal', { stake })
  await wallet.send('suspend_agent', { authority: wallet.owner })
  await wallet.send('reactivate_agent', { authority: wallet.owner })
  await wallet.send('request_withdrawal', { stake }, { amount: STAKE })
  world.localnet.warp(7 * DAY + 1)
  await wallet.send('complete_withdrawal', { stake })
  await wallet.send('deactivate_agent')
  await wallet.send('close_stake', { stake })
  await wallet.send('close_agent', { stake })
  return wallet
}
