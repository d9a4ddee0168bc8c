import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { Ed25519Signature2020 } from '@digitalbazaar/ed25519-signature-2020'
import { createVerifyCryptosuite } from '@digitalbazaar/eddsa-jcs-2022-cryptosuite'
import { cryptosuite as rdfc } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import * as vc from '@digitalbazaar/vc'
import { type Json, type Loader, NOW } from './issuer.ts'

/** Whether the Digital Bazaar stack accepts a credential at NOW. */
export async function verifiedByDigitalBazaar(
  credential: Json,
  documentLoader: Loader,
  now = NOW,
): Promise<boolean> {
  const { verified } = await vc.verifyCredential({
    credential: structuredClone(credential),
    suite: [
      new Ed25519Signature2020(),
      new DataIntegrityProof({ cryptosuite: rdfc }),
      new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() }),
    ],
    documentLoader,
    now: new Date(now),
  })
  return verified
}
