import { type Json, object, text } from '../contract/shapes.ts'
import { TABLES_AGE_HEADERS } from '../plugins/tables-age.ts'

export const TAG_HEADER = {
  etag: {
    type: 'string',
    description: 'Identifies the bytes of the response.',
  },
}

/** The headers of a response that was read from the tables. */
export const ageHeaders = (isTagged: boolean): Json =>
  isTagged ? { ...TAG_HEADER, ...TABLES_AGE_HEADERS } : TABLES_AGE_HEADERS

export const conditionalRequest = {
  headers: object(
    {
      'if-none-match': {
        type: 'string',
        description:
          'Entity tags of responses that the client has cached, or `*`. If one is still current, the response is 304.',
      },
    },
    { optional: ['if-none-match'] },
  ),
}

/** The response to a conditional request whose client is up to date. */
export const notModified = (headers: Json): Json => ({
  304: { type: 'null', description: 'The cached response of the client is still current.', headers },
})

const WALLET_HEADERS = {
  'x-wallet-pubkey': text(
    'Public key of the wallet: 32 bytes in base-58.',
    'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs',
  ),
  'x-wallet-signature': text(
    'Ed25519 signature of `service-auth:<pubkey>:<timestamp>:<METHOD>:<path>`, in base-58.',
    '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  ),
  'x-wallet-timestamp': text('Unix time in seconds, as in the signed text.', '1795184526'),
}

/** For endpoints that require a wallet: three headers ("Authentication"), or a session. */
export const walletHeaders = {
  headers: object(WALLET_HEADERS, { optional: Object.keys(WALLET_HEADERS) }),
}

/** What an endpoint requires. `session` is for endpoints about it: wallet headers have none. */
export const SECURITY = {
  wallet: [{ WalletPubkey: [], WalletSignature: [], WalletTimestamp: [] }, { session: [] }],
  session: [{ session: [] }],
} as const
