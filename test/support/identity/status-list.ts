import { createCredential, createList } from '@digitalbazaar/vc-bitstring-status-list'
import {
  DATA_INTEGRITY_V2,
  ED25519_SIGNATURE_2020_V1,
} from '../../../src/identity/credentials/contexts/pinned.ts'
import type { Suite } from '../../../src/identity/credentials/verify/crypto/verify-proofs.ts'
import type { Json, TestIssuer } from './issuer.ts'

export interface ListOptions {
  readonly purpose?: string
  readonly set?: readonly number[]
  readonly suite?: Suite
  readonly length?: number
  /** By default, that of VC 2.0. */
  readonly context?: string[]
  /** Changed before the list is signed. */
  readonly change?: (list: Json) => Json
}

/** A status list that the Digital Bazaar stack made and signed. */
export async function statusList(
  issuer: TestIssuer,
  id: string,
  { purpose = 'revocation', set = [], suite = 'eddsa-rdfc-2022', ...options }: ListOptions = {},
): Promise<Json> {
  const { length = 131_072, context, change = (list) => list } = options
  const list = await createList({ length })
  for (const index of set) list.setStatus(index, true)
  const credential: Json = await createCredential({
    id,
    list,
    statusPurpose: purpose,
    ...(context && { context }),
  })
  const isV1 = context !== undefined
  const suiteContexts =
    suite === 'Ed25519Signature2020' ? [ED25519_SIGNATURE_2020_V1] : isV1 ? [DATA_INTEGRITY_V2] : []
  const unsigned = {
    ...credential,
    '@context': [...credential['@context'], ...suiteContexts],
    issuer: issuer.did,
    ...(isV1 ? { issuanceDate: '2026-11-01T00:00:00Z' } : { validFrom: '2026-11-01T00:00:00Z' }),
  }
  return issuer.sign(change(unsigned), suite)
}

/** A `credentialStatus` that names an entry of the list at a URL. */
export function statusEntry(listUrl: string, index: number | string, purpose = 'revocation'): Json {
  return {
    id: `${listUrl}#${index}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: purpose,
    statusListIndex: String(index),
    statusListCredential: listUrl,
  }
}
