import { type Pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'
import { DataReader, NotParsableError } from '../data-reader.ts'
import { EXTENSION_TYPES } from '../instructions/token-names.ts'

type ExtensionType = (typeof EXTENSION_TYPES)[number]

// The extensions begin after the part that both token programs share and the kind of the account.
const FIRST_EXTENSION = 166
const ACCOUNT_STATES = ['uninitialized', 'initialized', 'frozen']

// A key of zeros stands for no key.
const keyOrNull = ({ key }: DataReader): Pubkey | null => {
  const value = key()
  return value === SYSTEM_PROGRAM ? null : value
}

/** The members of `state`. Extensions that are not here are shown as not parsable. */
const STATES: Partial<Readonly<Record<ExtensionType, (reader: DataReader) => object | undefined>>> = {
  immutableOwner: () => undefined,
  nonTransferable: () => undefined,
  nonTransferableAccount: () => undefined,
  pausableAccount: () => undefined,
  mintCloseAuthority: (reader) => ({ closeAuthority: keyOrNull(reader) }),
  permanentDelegate: (reader) => ({ delegate: keyOrNull(reader) }),
  defaultAccountState: ({ u8 }) => ({ accountState: ACCOUNT_STATES[u8()] }),
  memoTransfer: ({ u8 }) => ({ requireIncomingTransferMemos: u8() === 1 }),
  cpiGuard: ({ u8 }) => ({ lockCpi: u8() === 1 }),
  transferHook: (reader) => ({ authority: keyOrNull(reader), programId: keyOrNull(reader) }),
  transferHookAccount: ({ u8 }) => ({ transferring: u8() === 1 }),
  metadataPointer: (reader) => ({ authority: keyOrNull(reader), metadataAddress: keyOrNull(reader) }),
  groupPointer: (reader) => ({ authority: keyOrNull(reader), groupAddress: keyOrNull(reader) }),
  groupMemberPointer: (reader) => ({ authority: keyOrNull(reader), memberAddress: keyOrNull(reader) }),
}

/** The extensions of a Token-2022 account: for each a type, a length and the data. */
export function parseExtensions(data: Uint8Array): object[] {
  const reader = new DataReader(data.subarray(FIRST_EXTENSION))
  const extensions: object[] = []
  try {
    for (let type = reader.u16(); type !== 0; type = reader.u16())
      extensions.push(parseExtension(EXTENSION_TYPES[type], reader.take(reader.u16())))
  } catch (error) {
    // The list ends at a type of 0 or at the end of the account.
    if (!(error instanceof NotParsableError)) throw error
  }
  return extensions
}

function parseExtension(extension: ExtensionType | undefined, bytes: Uint8Array): object {
  const parse = extension === undefined ? undefined : STATES[extension]
  if (parse === undefined) return { extension: 'unparseableExtension' }
  const state = parse(new DataReader(bytes))
  return state === undefined ? { extension } : { extension, state }
}
