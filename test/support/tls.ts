import './reflect-metadata.ts'
import { randomBytes } from 'node:crypto'
import {
  BasicConstraintsExtension,
  type GeneralNameType,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { isIP } from 'node:net'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const HOUR_MS = 3_600_000

/** Options for node:tls and node:https. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

export async function createTestCa() {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const name = 'CN=Test CA'
  const root = await X509CertificateGenerator.createSelfSigned({
    name,
    ...commonOf({}),
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })
  return {
    pem: root.toString('pem'),
    /** `names`: host names and addresses. Default: valid from an hour ago for one day. */
    issue: async (names: readonly string[], validity: Validity = {}): Promise<TestCertificate> => {
      const own = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
      const certificate = await X509CertificateGenerator.create({
        subject: 'CN=test receiver',
        issuer: name,
        ...commonOf(validity),
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new SubjectAlternativeNameExtension(
            names.map((value) => ({ type: (isIP(value) === 0 ? 'dns' : 'ip') as GeneralNameType, value })),
          ),
        ],
      })
      return { cert: certificate.toString('pem'), key: await pemOf(own.privateKey) }
    },
  }
}
export type TestCa = Awaited<ReturnType<typeof createTestCa>>

interface Validity {
  notBefore?: Date
  notAfter?: Date
}

/** The members that both kinds of certificates have. */
const commonOf = (validity: Validity) => ({
  serialNumber: `01${randomBytes(8).toString('hex')}`,
  notBefore: new Date(Date.now() - HOUR_MS),
  notAfter: new Date(Date.now() + 24 * HOUR_MS),
  ...validity,
  signingAlgorithm: ALGORITHM,
})

async function pemOf(key: CryptoKey): Promise<string> {
  const base64 = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END PRIVATE KEY-----\n`
}
