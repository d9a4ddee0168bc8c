import { Keypair, type TransactionInstruction } from '@solana/web3.js'
import { programDataAddress, pubkey, type Pubkey } from '@agent-registry/solana'
import { type RegistryAddresses, registryAddresses } from '../../src/addresses.ts'
import { decodeAccount } from '../../src/codec.ts'
import { registryInstruction } from '../../src/instructions.ts'
import type { RegistryAccounts } from '../../src/generated/types.ts'
import { mintData, TOKEN_PROGRAM, tokenAccountData, tokenBalance } from './token-images.ts'
import { type Outcome, Vm } from './vm.ts'

export const DAY = 86_400n
export const USDC = 1_000_000n
export const THRESHOLDS = [0n, 100n * USDC, 500n * USDC, 1_000n * USDC]
export const COOLDOWN = 7n * DAY
const SOL = 1_000_000_000n

export type Accounts = Record<string, Pubkey>
export type Args = Record<string, unknown>

/** A wallet and its addresses, by the IDL's account names. */
export interface Actor {
  owner: Pubkey
  payer: Pubkey
  agent: Pubkey
  stake: Pubkey
  vault: Pubkey
  withdrawal: Pubkey
  deactivationRecord: Pubkey
  ownerToken: Pubkey
  /** All of these and the rent payer, by the IDL's names. */
  accounts: Accounts
}

export function keyOf(keypair: Keypair): Pubkey {
  return pubkey(keypair.publicKey.toBase58())
}

/** The registry in a VM, with an admin, the USDC mint and any number of owners. */
export class Bench {
  readonly vm: Vm
  readonly at: RegistryAddresses
  readonly mint = pubkey(Keypair.generate().publicKey.toBase58())
  readonly treasury = pubkey(Keypair.generate().publicKey.toBase58())
  readonly admin: Pubkey
  private readonly keys = new Map<Pubkey, Keypair>()
  private readonly feePayer: Pubkey
  private readonly config: Pubkey
  private readonly programData: Pubkey

  constructor(programId = pubkey(Keypair.generate().publicKey.toBase58())) {
    this.admin = this.wallet()
    this.vm = new Vm(programId, this.admin)
    this.at = registryAddresses(programId)
    this.config = this.at.config()
    this.programData = programDataAddress(programId)
    this.feePayer = this.wallet()
    for (const key of [this.admin, this.feePayer]) this.vm.airdrop(key, 1_000n * SOL)
    this.vm.put({ address: this.mint, owner: TOKEN_PROGRAM, executable: false, data: mintData(6) })
  }

  static initialized(): Bench {
    const bench = new Bench()
    bench.must('initialize', {}, { tierThresholds: THRESHOLDS, cooldownSeconds: COOLDOWN })
    return bench
  }

  /** A new key without lamports. The bench signs for it. */
  wallet(): Pubkey {
    const keypair = Keypair.generate()
    const key = keyOf(keypair)
    this.keys.set(key, keypair)
    return key
  }

  /** A funded wallet with a USDC account; someone else pays its rents. */
  actor(usdc = 10_000n * USDC): Actor {
    const [owner, payer] = [this.wallet(), this.wallet()]
    for (const key of [owner, payer]) this.vm.airdrop(key, 10n * SOL)
    const agent = this.at.agent(owner)
    const stake = this.at.stake(agent)
    const addresses = {
      owner,
      payer,
      agent,
      stake,
      vault: this.at.vault(agent),
      withdrawal: this.at.withdrawal(stake),
      deactivationRecord: this.at.deactivationRecord(owner),
      ownerToken: this.tokenAccount(owner, usdc),
    }
    return { ...addresses, accounts: { ...addresses, rentPayer: payer } }
  }

  tokenAccount(owner: Pubkey, amount: bigint, mint = this.mint): Pubkey {
    const address = pubkey(Keypair.generate().publicKey.toBase58())
    this.vm.put({
      address,
      owner: TOKEN_PROGRAM,
      executable: false,
      data: tokenAccountData(mint, owner, amount),
    })
    return address
  }

  instruction(name: string, accounts: Accounts, args: Args = {}): TransactionInstruction {
    const { admin, mint, treasury, vm } = this
    const known = { admin, usdcMint: mint, treasury, config: this.config, programData: this.programData }
    return registryInstruction(vm.programId, name, { ...known, ...accounts }, args)
  }

  canSign(key: Pubkey): boolean {
    return this.keys.has(key)
  }

  /** Signs for every signer whose key the bench has. */
  send(...instructions: TransactionInstruction[]): Outcome {
    const metas = instructions.flatMap(({ keys }) => keys.filter((meta) => meta.isSigner))
    const signers = [...new Set([this.feePayer, ...metas.map((meta) => pubkey(meta.pubkey.toBase58()))])]
    const [first, ...others] = signers.map((key) => {
      const keypair = this.keys.get(key)
      if (keypair === undefined) throw new Error(`no key of ${key}`)
      return keypair
    })
    if (first === undefined) throw new Error('nobody signs')
    return this.vm.send(instructions, [first, ...others])
  }

  call(name: string, accounts: Accounts, args: Args = {}): Outcome {
    return this.send(this.instruction(name, accounts, args))
  }

  error(name: string, accounts: Accounts, args: Args = {}): string | null {
    return this.call(name, accounts, args).error
  }

  /** Like `call`, but throws if it fails. */
  must(name: string, accounts: Accounts, args: Args = {}): Outcome {
    const outcome = this.call(name, accounts, args)
    if (outcome.error !== null) throw new Error(`${name}: ${outcome.error}\n${outcome.logs.join('\n')}`)
    return outcome
  }

  read<Name extends keyof RegistryAccounts>(name: Name, key: Pubkey): RegistryAccounts[Name] | null {
    const stored = this.vm.account(key)
    if (stored === null || stored.owner !== this.vm.programId) return null
    const account = decodeAccount(stored.data)
    if (account?.name !== name) throw new Error(`${key} is ${account?.name ?? 'unknown'}, not ${name}`)
    return account.data as RegistryAccounts[Name]
  }

  usdcOf(key: Pubkey): bigint {
    const stored = this.vm.account(key)
    return stored === null ? 0n : tokenBalance(stored.data)
  }
}
