import type { Context } from './context.ts'
import type { Operations } from './generated/api.ts'
import type { Session } from './sessions.ts'
import type { Signer } from './signers/signer.ts'

export type Credential = Operations['listCredentials']['response']['credentials'][number]
export type CredentialFilter = NonNullable<Operations['listCredentials']['query']>
/** The URL of a hosted credential, or the credential itself. */
export type GivenCredential = Operations['verifyCredential']['body']

export function createCredentials({ call }: Context) {
  return {
    /** The credentials of an agent. */
    list: async (pda: string, filter: CredentialFilter = {}): Promise<Credential[]> =>
      (await call('listCredentials', { path: { pda }, query: filter })).credentials,

    /**
     * Verifies a credential of an agent and attaches it. Only its owner can, by wallet or session.
     */
    verify: (pda: string, credential: GivenCredential, owner: Signer | Session) =>
      call(
        'verifyCredential',
        { path: { pda }, body: credential },
        'token' in owner ? { token: owner.token } : { wallet: owner },
      ),
  }
}
