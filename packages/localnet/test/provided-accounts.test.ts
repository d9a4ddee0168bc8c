import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keypair, PublicKey } from '@solana/web3.js'
import { expect, it } from 'vitest'
import { type AccountImage, pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import { startTestLedger } from './ledger.ts'

const genesis = { faucet: Keypair.generate() }
const address = pubkey(Keypair.generate().publicKey.toBase58())
const image = (data: string): AccountImage => ({
  address,
  owner: SYSTEM_PROGRAM,
  executable: false,
  data: Buffer.from(data),
})

it('writes given accounts at every start, also to an existing ledger', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'provided-accounts-'))
  const read = async (...accounts: AccountImage[]): Promise<[string, boolean] | null> => {
    await using ledger = await startTestLedger({ dataDir, genesis, accounts })
    const account = await ledger.connection.getAccountInfo(new PublicKey(address))
    if (account === null) return null
    const rent = await ledger.connection.getMinimumBalanceForRentExemption(account.data.length)
    return [account.data.toString(), account.lamports === rent]
  }
  try {
    expect(await read()).toBeNull()
    expect(await read(image('first'))).toEqual(['first', true])
    expect(await read(image('second version'))).toEqual(['second version', true])
    expect(await read()).toEqual(['second version', true])
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
