import {
  Keypair,
  PublicKey,
  SystemProgram,
  SYSVAR_RECENT_BLOCKHASHES_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  type TransactionInstruction,
} from '@solana/web3.js'
import * as token from '@solana-program/token'
import { type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { describe, expect, it } from 'vitest'
import { type Pubkey, pubkey } from '@agent-registry/solana'
import { parseInstruction } from '../src/rpc/instructions/parse-instruction.ts'
import { toJson } from '../src/rpc/json-rpc.ts'

const key = (): Pubkey => pubkey(Keypair.generate().publicKey.toBase58())
const [a, b, c, d] = [key(), key(), key(), key()]

const RECENT_BLOCKHASHES = SYSVAR_RECENT_BLOCKHASHES_PUBKEY.toBase58()

/** Parses an instruction of a client library and returns `parsed`. */
function parse(programId: string, accounts: readonly string[], data: Uint8Array): unknown {
  const keys = [programId, ...accounts] as Pubkey[]
  const indexes = accounts.map((_, index) => index + 1)
  const shown = parseInstruction({ programIdIndex: 0, accounts: indexes, data, stackHeight: 1 }, keys)
  return (JSON.parse(toJson(shown)) as { parsed?: unknown }).parsed
}

const parseKit = ({ programAddress, accounts = [], data }: Instruction): unknown =>
  parse(
    programAddress,
    accounts.map(({ address }) => address),
    Uint8Array.from(data ?? []),
  )

const parseWeb3 = ({ programId, keys, data }: TransactionInstruction): unknown =>
  parse(
    programId.toBase58(),
    keys.map((each) => each.pubkey.toBase58()),
    data,
  )

describe('SPL Token instructions of the client library', () => {
  const [A, B, C, D] = [a, b, c, d] as unknown as [Address, Address, Address, Address]
  const ui = { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' }
  it.each<[string, Instruction, object]>([
    [
      'initializeMint2',
      token.getInitializeMint2Instruction({ mint: A, decimals: 6, mintAuthority: B, freezeAuthority: C }),
      { mint: a, decimals: 6, mintAuthority: b, freezeAuthority: c },
    ],
    [
      'initializeMint2',
      token.getInitializeMint2Instruction({ mint: A, decimals: 6, mintAuthority: B }),
      { mint: a, decimals: 6, mintAuthority: b },
    ],
    [
      'initializeAccount3',
      token.getInitializeAccount3Instruction({ account: A, mint: B, owner: C }),
      { account: a, mint: b, owner: c },
    ],
    [
      'initializeMultisig2',
      token.getInitializeMultisig2Instruction({ multisig: A, m: 2, signers: [B, C] }),
      { multisig: a, m: 2, signers: [b, c] },
    ],
    [
      'transfer',
      token.getTransferInstruction({ source: A, destination: B, authority: C, amount: 5n }),
      { source: a, destination: b, authority: c, amount: '5' },
    ],
    [
      'transfer',
      token.getTransferInstruction({
        source: A,
        destination: B,
        authority: C,
        amount: 2n ** 64n - 1n,
        multiSigners: [createNoopSigner(D)],
      }),
      { source: a, destination: b, multisigAuthority: c, signers: [d], amount: '18446744073709551615' },
    ],
    [
      'transferChecked',
      token.getTransferCheckedInstruction({
        source: A,
        mint: B,
        destination: C,
        authority: D,
        amount: 1_500_000n,
        decimals: 6,
      }),
      { source: a, mint: b, destination: c, authority: d, tokenAmount: ui },
    ],
    [
      'approve',
      token.getApproveInstruction({ source: A, delegate: B, owner: C, amount: 7n }),
      { source: a, delegate: b, owner: c, amount: '7' },
    ],
    ['revoke', token.getRevokeInstruction({ source: A, owner: B }), { source: a, owner: b }],
    [
      'setAuthority',
      token.getSetAuthorityInstruction({
        owned: A,
        owner: B,
        authorityType: token.AuthorityType.CloseAccount,
        newAuthority: C,
      }),
      { account: a, authority: b, authorityType: 'closeAccount', newAuthority: c },
    ],
    [
      'setAuthority',
      token.getSetAuthorityInstruction({
        owned: A,
        owner: B,
        authorityType: token.AuthorityType.MintTokens,
        newAuthority: null,
      }),
      { mint: a, authority: b, authorityType: 'mintTokens', newAuthority: null },
    ],
    [
      'mintToChecked',
      token.getMintToCheckedInstruction({
        mint: A,
        token: B,
        mintAuthority: C,
        amount: 1_500_000n,
        decimals: 6,
      }),
      { mint: a, account: b, mintAuthority: c, tokenAmount: ui },
    ],
    [
      'burn',
      token.getBurnInstruction({ account: A, mint: B, authority: C, amount: 1n }),
      { account: a, mint: b, authority: c, amount: '1' },
    ],
    [
      'closeAccount',
      token.getCloseAccountInstruction({ account: A, destination: B, owner: C }),
      { account: a, destination: b, owner: c },
    ],
    [
      'freezeAccount',
      token.getFreezeAccountInstruction({ account: A, mint: B, owner: C }),
      { account: a, mint: b, freezeAuthority: c },
    ],
    ['syncNative', token.getSyncNativeInstruction({ account: A }), { account: a }],
  ])('%s is shown with its accounts and its data', (type, instruction, info) => {
    expect(parseKit(instruction)).toEqual({ type, info })
  })
})

describe('System instructions of web3.js', () => {
  const [from, to, base, program] = [a, b, c, d].map((each) => new PublicKey(each)) as [
    PublicKey,
    PublicKey,
    PublicKey,
    PublicKey,
  ]
  const nonce = { noncePubkey: from, authorizedPubkey: to }
  const seed = { basePubkey: base, seed: 'sëed', programId: program }
  it.each<[string, TransactionInstruction, object]>([
    [
      'createAccount',
      SystemProgram.createAccount({
        fromPubkey: from,
        newAccountPubkey: to,
        lamports: 9,
        space: 8,
        programId: program,
      }),
      { source: a, newAccount: b, lamports: 9, space: 8, owner: d },
    ],
    [
      'createAccountWithSeed',
      SystemProgram.createAccountWithSeed({
        ...seed,
        fromPubkey: from,
        newAccountPubkey: to,
        lamports: 9,
        space: 8,
      }),
      { source: a, newAccount: b, base: c, seed: 'sëed', lamports: 9, space: 8, owner: d },
    ],
    ['assign', SystemProgram.assign({ accountPubkey: from, programId: program }), { account: a, owner: d }],
    [
      'assignWithSeed',
      SystemProgram.assign({ accountPubkey: from, ...seed }),
      { account: a, base: c, seed: 'sëed', owner: d },
    ],
    ['allocate', SystemProgram.allocate({ accountPubkey: from, space: 8 }), { account: a, space: 8 }],
    [
      'allocateWithSeed',
      SystemProgram.allocate({ accountPubkey: from, space: 8, ...seed }),
      { account: a, base: c, seed: 'sëed', space: 8, owner: d },
    ],
    [
      'transferWithSeed',
      SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: 9, ...seed }),
      { source: a, sourceBase: c, destination: b, lamports: 9, sourceSeed: 'sëed', sourceOwner: d },
    ],
    [
      'advanceNonce',
      SystemProgram.nonceAdvance(nonce),
      { nonceAccount: a, nonceAuthority: b, recentBlockhashesSysvar: RECENT_BLOCKHASHES },
    ],
    [
      'withdrawFromNonce',
      SystemProgram.nonceWithdraw({ ...nonce, toPubkey: base, lamports: 9 }),
      {
        nonceAccount: a,
        destination: c,
        recentBlockhashesSysvar: RECENT_BLOCKHASHES,
        rentSysvar: SYSVAR_RENT_PUBKEY.toBase58(),
        nonceAuthority: b,
        lamports: 9,
      },
    ],
    [
      'authorizeNonce',
      SystemProgram.nonceAuthorize({ ...nonce, newAuthorizedPubkey: base }),
      { nonceAccount: a, nonceAuthority: b, newAuthorized: c },
    ],
  ])('%s is shown with its accounts and its data', (type, instruction, info) => {
    expect(parseWeb3(instruction)).toEqual({ type, info })
  })
})
