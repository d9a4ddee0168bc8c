import {
  GetEligibilityDocument,
  RegisterSponsoredDocument,
  SubmitSponsoredRegistrationDocument,
} from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import { toTransaction } from '../relay/routes.ts'
import { toPrepared } from '../relay/to-prepared.ts'
import type { RestApp } from '../rest-app.ts'
import { eligibilitySchema, registerSchema, submitRegistrationSchema } from './schemas.ts'

export function sponsorRoutes(app: RestApp, operations: Operations): void {
  const getEligibility = operations.run(GetEligibilityDocument)
  const register = operations.run(RegisterSponsoredDocument)
  const submit = operations.run(SubmitSponsoredRegistrationDocument)

  app.get('/sponsor/eligibility', { schema: eligibilitySchema }, async (request) => {
    const { eligible, feePayerBalance, reason } = (await getEligibility(request, request.query)).eligibility
    return eligible ? { eligible, feePayerBalance: feePayerBalance ?? 0 } : { eligible, reason: reason ?? '' }
  })

  app.post('/sponsor/register', { schema: registerSchema }, async (request) =>
    toPrepared((await register(request, { input: request.body })).registerSponsored),
  )

  const submitOptions = { config: { priority: 'high' as const }, schema: submitRegistrationSchema }
  app.post('/sponsor/register/submit', submitOptions, async (request) =>
    toTransaction((await submit(request, { input: request.body })).submitSponsoredRegistration),
  )
}
