import type { Operations } from '../operations.ts'
import {
  GetEligibilityDocument,
  RegisterSponsoredDocument,
  SubmitSponsoredRegistrationDocument,
} from '../generated/graphql.ts'
import { toPrepared, toTransaction } from '../relay/map.ts'
import { toEligibility } from './map.ts'
import { eligibilitySchema, registerSchema, submitRegistrationSchema } from './schemas.ts'
import type { RestApp } from '../rest-app.ts'

export function sponsorRoutes(app: RestApp, door: Operations): void {
  const getEligibility = door.run(GetEligibilityDocument)
  const register = door.run(RegisterSponsoredDocument)
  const submit = door.run(SubmitSponsoredRegistrationDocument)

  app.get('/sponsor/eligibility', { schema: eligibilitySchema }, async (request) =>
    toEligibility(await getEligibility(request, request.query)),
  )

  app.post('/sponsor/register', { schema: registerSchema }, async (request) =>
    toPrepared((await register(request, { input: request.body })).registerSponsored),
  )

  const signed = { config: { priority: 'high' as const }, schema: submitRegistrationSchema }
  app.post('/sponsor/register/submit', signed, async (request) => {
    const { submitSponsoredRegistration } = await submit(request, { input: request.body })
    return toTransaction(submitSponsoredRegistration)
  })
}
