import type { Operations } from '../operations.ts'
import { ListCredentialsDocument, VerifyCredentialDocument } from '../generated/graphql.ts'
import { listCredentialsSchema, verifyCredentialSchema } from './schemas.ts'
import type { RestApp } from '../rest-app.ts'

/** A credential of 32 KiB, also where its JSON is written wastefully. */
const BODY_LIMIT = 131_072

export function credentialRoutes(app: RestApp, door: Operations): void {
  const listCredentials = door.run(ListCredentialsDocument)
  const verifyCredential = door.run(VerifyCredentialDocument)

  app.get('/agents/:pda/credentials', { schema: listCredentialsSchema }, async (request) => {
    const { credentials } = await listCredentials(request, { ...request.params, ...request.query })
    return credentials
  })

  const guarded = { ...door.walletAuth, schema: verifyCredentialSchema, bodyLimit: BODY_LIMIT }
  app.post('/agents/:pda/credentials/verify', guarded, async (request) => {
    const variables = { ...request.params, ...request.body }
    return (await verifyCredential(request, variables)).verifyCredential
  })
}
