import { readFileSync } from 'node:fs'
import { Keypair, PublicKey, Transaction } from '@solana/web3.js'
import { expect, it } from 'vitest'
import { programDataAddress, pubkey, type Pubkey } from '@agent-registry/solana'
import { PROGRAM_FILE, registryAddresses, registryInstruction } from '@agent-registry/program'
import { failure, startTestLedger } from './ledger.ts'

const elf = readFileSync(PROGRAM_FILE)
const keyOf = (keypair: Keypair): Pubkey => pubkey(keypair.publicKey.toBase58())

it('runs the registry program from genesis, and only its upgrade authority can initialise it', async () => {
  const programId = keyOf(Keypair.generate())
  const admin = Keypair.generate()
  const [faucet, usdcMint, usdcMintAuthority] = [Keypair.generate(), Keypair.generate(), Keypair.generate()]
  const programs = [{ programId, elf, authority: keyOf(admin) }]
  await using ledger = await startTestLedger({ genesis: { faucet, usdcMint, usdcMintAuthority, programs } })
  const { connection, net } = ledger
  const stranger = await ledger.wallet()
  await connection.requestAirdrop(admin.publicKey, 1e10)
  net.stepSlot()
  const initialize = (signer: Keypair): Transaction =>
    new Transaction().add(
      registryInstruction(
        programId,
        'initialize',
        {
          admin: keyOf(signer),
          programData: programDataAddress(programId),
          usdcMint: keyOf(usdcMint),
          treasury: keyOf(signer),
        },
        { tierThresholds: [0n, 100n, 500n, 1000n], cooldownSeconds: 604_800n },
      ),
    )
  const refused = await failure(connection.sendTransaction(initialize(stranger), [stranger]))
  expect(refused.message).toMatch(/custom program error: 0x/)
  const signature = await ledger.land(initialize(admin), [admin])
  expect((await connection.getTransaction(signature))?.meta?.err).toBeNull()

  const config = new PublicKey(registryAddresses(programId).config())
  expect((await connection.getAccountInfo(config))?.owner.toBase58()).toBe(programId)
  expect((await connection.getAccountInfo(new PublicKey(programId)))?.executable).toBe(true)
  const found = await connection.getProgramAccounts(new PublicKey(programId))
  expect(found.map((each) => each.pubkey.toBase58())).toEqual([config.toBase58()])
})
