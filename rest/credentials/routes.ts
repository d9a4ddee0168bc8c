import { ListCredentialsDocument, VerifyCredentialDocument } from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import { listCredentialsSchema, verifyCredentialSchema } from './schemas.ts'

/** Bytes. Enough for a credential of 32 KiB with indentation. */
export const BODY_LIMIT = 131_072

export function credentialRoutes(app: RestApp, operations: Operations): void {
  const listCredentials = operations.run(ListCredentialsDocument)
  const verifyCredential = operations.run(VerifyCredentialDocument)

  app.get(
    '/agents/:pda/credentials',
    { ...operations.tables, schema: listCredentialsSchema },
    async (request) => {
      const { credentials } = await listCredentials(request, { ...request.params, ...request.query })
      return credentials
    },
  )

  const verifyOptions = { ...operations.walletAuth, schema: verifyCredentialSchema, bodyLimit: BODY_LIMIT }
  app.post('/agents/:pda/credentials/verify', verifyOptions, async (request) => {
    const variables = { ...request.params, ...request.body }
    return (await verifyCredential(request, variables)).verifyCredential
  })
}
