import {
  Keypair,
  type ParsedAccountData,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js'
import { expect, it } from 'vitest'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  programAddress,
  pubkey,
  pubkeyBytes,
  TOKEN_2022_PROGRAM,
} from '@agent-registry/solana'
import { startTestLedger } from './ledger.ts'

const TOKEN_2022 = new PublicKey(TOKEN_2022_PROGRAM)
const MINT_WITH_CLOSE_AUTHORITY_BYTES = 202

function instruction(keys: [PublicKey, boolean][], data: Buffer): TransactionInstruction {
  const metas = keys.map(([key, isWritable]) => ({ pubkey: key, isSigner: false, isWritable }))
  return new TransactionInstruction({ programId: TOKEN_2022, keys: metas, data })
}

it('shows Token-2022 mints and accounts with their extensions, and the instructions that created them', async () => {
  await using ledger = await startTestLedger()
  const { connection } = ledger
  const payer = await ledger.wallet()
  const mint = Keypair.generate()
  const owner = payer.publicKey.toBase58()
  const authority = payer.publicKey.toBuffer()
  const seeds = [owner, TOKEN_2022_PROGRAM, mint.publicKey.toBase58()].map((each) =>
    pubkeyBytes(pubkey(each)),
  )
  const account = new PublicKey(programAddress(ASSOCIATED_TOKEN_PROGRAM, seeds))
  const create = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: mint.publicKey,
    lamports: await connection.getMinimumBalanceForRentExemption(MINT_WITH_CLOSE_AUTHORITY_BYTES),
    space: MINT_WITH_CLOSE_AUTHORITY_BYTES,
    programId: TOKEN_2022,
  })
  const onMint: [PublicKey, boolean][] = [[mint.publicKey, true]]
  const closeAuthority = instruction(onMint, Buffer.concat([Buffer.of(25, 1), authority]))
  const initialize = instruction(onMint, Buffer.concat([Buffer.of(20, 2), authority, Buffer.of(0)]))
  const readonly = [payer.publicKey, mint.publicKey, SystemProgram.programId, TOKEN_2022]
  const createAccount = new TransactionInstruction({
    programId: new PublicKey(ASSOCIATED_TOKEN_PROGRAM),
    keys: [
      { pubkey: payer.publicKey, isSigner: true, isWritable: true },
      { pubkey: account, isSigner: false, isWritable: true },
      ...readonly.map((key) => ({ pubkey: key, isSigner: false, isWritable: false })),
    ],
    data: Buffer.of(1),
  })
  const transaction = new Transaction().add(create, closeAuthority, initialize, createAccount)
  const signature = await ledger.land(transaction, [payer, mint])

  const shown = await connection.getParsedTransaction(signature)
  const all = [
    ...(shown?.transaction.message.instructions ?? []),
    ...(shown?.meta?.innerInstructions?.flatMap((each) => each.instructions) ?? []),
  ]
  expect(all.map((each) => ('parsed' in each ? (each.parsed as { type: string }).type : null))).toEqual([
    'createAccount',
    'initializeMintCloseAuthority',
    'initializeMint2',
    'createIdempotent',
    'getAccountDataSize',
    'createAccount',
    'initializeImmutableOwner',
    'initializeAccount3',
  ])
  const { value } = await connection.getMultipleParsedAccounts([mint.publicKey, account])
  const [mintData, accountData] = value.map((each) => each?.data as ParsedAccountData)
  expect(mintData).toMatchObject({
    program: 'spl-token-2022',
    parsed: {
      type: 'mint',
      info: {
        mintAuthority: owner,
        decimals: 2,
        freezeAuthority: null,
        extensions: [{ extension: 'mintCloseAuthority', state: { closeAuthority: owner } }],
      },
    },
  })
  expect(accountData).toMatchObject({
    program: 'spl-token-2022',
    parsed: { type: 'account', info: { owner, extensions: [{ extension: 'immutableOwner' }] } },
  })
})
