import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { PublicKey } from '@solana/web3.js'
import { type AccountImage, programAddress, pubkey, type Pubkey, pubkeyBytes } from '@agent-registry/solana'
import { idlOf } from './idl.ts'

/** The Program Metadata program, which stores IDLs on clusters. */
export const PROGRAM_METADATA = pubkey('ProgM6JCCvbYkfKqJYHePx4xxSUSqJp7rh8Lyv7nk7S')
/** The discriminator of Anchor's account type `IdlAccount`. */
const IDL_ACCOUNT = Buffer.from('184662bf3a907b9e', 'hex')
const METADATA_ACCOUNT = 2
const NO_AUTHORITY = Buffer.alloc(32)
const SEED = Buffer.from('idl'.padEnd(16, '\0'))

/**
 * The accounts in which Anchor clients look for the IDL of a program: up to 0.32, and from 1.0 on.
 * Neither belongs to the program, because it has no instruction that could write them.
 */
export function onchainIdlAccounts(programId: Pubkey): AccountImage[] {
  const json = deflateSync(JSON.stringify(idlOf(programId)), { level: 9 })
  return [
    {
      address: legacyAddress(programId),
      ...image(Buffer.concat([IDL_ACCOUNT, NO_AUTHORITY, u32(json), json])),
    },
    { address: metadataAddress(programId), ...image(metadata(programId, json)) },
  ]
}

const image = (data: Buffer) => ({ owner: PROGRAM_METADATA, executable: false, data })

function u32(data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(data.length)
  return length
}

/** Anchor's `createWithSeed`: SHA-256 of base, seed and owner. */
function legacyAddress(programId: Pubkey): Pubkey {
  const base = pubkeyBytes(programAddress(programId, []))
  const hash = createHash('sha256').update(base).update('anchor:idl').update(pubkeyBytes(programId)).digest()
  return pubkey(new PublicKey(hash).toBase58())
}

function metadataAddress(programId: Pubkey): Pubkey {
  return programAddress(PROGRAM_METADATA, [pubkeyBytes(programId), Buffer.alloc(0), SEED])
}

function metadata(programId: Pubkey, json: Buffer): Buffer {
  const [isMutable, isCanonical] = [1, 1]
  const [utf8, zlib, jsonFormat, direct] = [1, 2, 1, 0]
  return Buffer.concat([
    Buffer.from([METADATA_ACCOUNT]),
    pubkeyBytes(programId),
    NO_AUTHORITY,
    Buffer.from([isMutable, isCanonical]),
    SEED,
    Buffer.from([utf8, zlib, jsonFormat, direct]),
    u32(json),
    Buffer.alloc(5),
    json,
  ])
}
