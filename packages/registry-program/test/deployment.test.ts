import { readFileSync } from 'node:fs'
import {
  PublicKey,
  SystemProgram,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  TransactionInstruction,
} from '@solana/web3.js'
import { expect, it } from 'vitest'
import {
  deploymentAccounts,
  programDataAddress,
  type Pubkey,
  pubkeyBytes,
  UPGRADEABLE_LOADER,
} from '@agent-registry/solana'
import { registryInstruction } from '../src/instructions.ts'
import { Bench, COOLDOWN, THRESHOLDS } from './support/bench.ts'

const ELF = readFileSync(new URL('../registry.so', import.meta.url))
const DEPLOY_WITH_MAX_DATA_LEN = 2
const BUFFER_VARIANT = 1
const BUFFER_HEADER = 37

function deploy(payer: Pubkey, program: Pubkey, buffer: Pubkey, authority: Pubkey): TransactionInstruction {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(DEPLOY_WITH_MAX_DATA_LEN)
  data.writeBigUInt64LE(BigInt(ELF.length), 4)
  const account = (key: string, isSigner: boolean, isWritable: boolean) => ({
    pubkey: new PublicKey(key),
    isSigner,
    isWritable,
  })
  return new TransactionInstruction({
    programId: new PublicKey(UPGRADEABLE_LOADER),
    keys: [
      account(payer, true, true),
      account(programDataAddress(program), false, true),
      account(program, false, true),
      account(buffer, false, true),
      account(SYSVAR_RENT_PUBKEY.toBase58(), false, false),
      account(SYSVAR_CLOCK_PUBKEY.toBase58(), false, false),
      account(SystemProgram.programId.toBase58(), false, false),
      account(authority, true, false),
    ],
    data,
  })
}

it('the upgradeable loader accepts it and creates the accounts that deploymentAccounts returns', () => {
  const bench = new Bench()
  const { admin, vm } = bench
  const [program, buffer] = [bench.wallet(), bench.wallet()]
  const bufferData = Buffer.alloc(BUFFER_HEADER + ELF.length)
  bufferData.writeUInt32LE(BUFFER_VARIANT)
  bufferData.writeUInt8(1, 4)
  bufferData.set(pubkeyBytes(admin), 5)
  bufferData.set(ELF, BUFFER_HEADER)
  const image = { executable: false, owner: UPGRADEABLE_LOADER }
  vm.put({ ...image, address: buffer, data: bufferData })
  vm.put({ ...image, address: program, data: new Uint8Array(36) })
  expect(bench.send(deploy(admin, program, buffer, admin)).error).toBeNull()

  const expected = deploymentAccounts({ programId: program, elf: ELF, authority: admin, slot: vm.slot })
  for (const { address, data } of [expected.program, expected.programData])
    expect(vm.account(address)?.data).toEqual(Uint8Array.from(data))
  vm.slot += 1n
  const accounts = {
    admin,
    usdcMint: bench.mint,
    treasury: bench.treasury,
    programData: programDataAddress(program),
  }
  const args = { tierThresholds: THRESHOLDS, cooldownSeconds: COOLDOWN }
  expect(bench.send(registryInstruction(program, 'initialize', accounts, args)).error).toBeNull()
})
