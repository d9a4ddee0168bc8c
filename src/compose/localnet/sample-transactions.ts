import type { Keypair, TransactionInstruction } from '@solana/web3.js'
import { associatedTokenAccount, type Pubkey } from '@agent-registry/solana'
import { registryAddresses, registryInstruction } from '@agent-registry/program'
import type { LocalnetKeys } from '../../platform/keys.ts'
import { keyOf } from './registry-setup.ts'
import type { SampleAgent } from './sample-agents.ts'
import type { SampleCard } from './sample-cards.ts'
import type { Job } from './transaction-sender.ts'

/** Builds the transactions of a sample agent. */
export interface SampleTransactions {
  register: (agent: SampleAgent, wallet: Keypair, card: SampleCard) => Job
  describe: (agent: SampleAgent, wallet: Keypair) => Job
  deposit: (agent: SampleAgent, wallet: Keypair) => Job
  report: (wallet: Keypair, delta: number) => TransactionInstruction
  /** Suspends or deactivates the agent. */
  end: (agent: SampleAgent, wallet: Keypair) => Job
}

export function sampleTransactions(programId: Pubkey, keys: LocalnetKeys): SampleTransactions {
  const addresses = registryAddresses(programId)
  const payer = keyOf(keys.feePayer)
  const build = (name: string, accounts: Record<string, Pubkey>, args = {}): TransactionInstruction =>
    registryInstruction(programId, name, accounts, args)
  const job = (signers: Keypair[], ...instructions: TransactionInstruction[]): Job => ({
    signers,
    instructions,
  })

  return {
    register: (agent, wallet, card) =>
      job(
        [wallet],
        build(
          'register_agent',
          { payer, owner: keyOf(wallet) },
          {
            name: agent.name,
            serviceCategory: agent.category,
            agentCardUrl: card.url,
            agentCardHash: card.hash,
          },
        ),
      ),
    describe: (agent, wallet) =>
      job(
        [wallet],
        build(
          'update_agent',
          { owner: keyOf(wallet) },
          { version: agent.version, capabilities: agent.capabilities },
        ),
      ),
    deposit: (agent, wallet) => {
      const owner = keyOf(wallet)
      const usdcMint = keyOf(keys.usdcMint)
      const ownerToken = associatedTokenAccount(owner, usdcMint)
      return job(
        [wallet],
        build('deposit', { payer, owner, ownerToken, usdcMint }, { amount: agent.deposit }),
      )
    },
    report: (wallet, delta) =>
      build(
        'report_behavior',
        { authority: keyOf(keys.reputationReporter), agent: addresses.agent(keyOf(wallet)) },
        { delta, reason: delta > 0 ? 1 : 2 },
      ),
    end: (agent, wallet) => {
      const account = addresses.agent(keyOf(wallet))
      const suspend = (authority: Keypair): Job =>
        job([authority], build('suspend_agent', { authority: keyOf(authority), agent: account }))
      if (agent.lifecycle === 'suspendedByOwner') return suspend(wallet)
      if (agent.lifecycle === 'suspendedByAdmin') return suspend(keys.registryAdmin)
      return job([wallet], build('deactivate_agent', { owner: keyOf(wallet) }))
    },
  }
}
