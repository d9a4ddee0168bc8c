import {
  EstimateFeesDocument,
  GetTransactionDocument,
  PrepareSponsoredTransactionDocument,
  PrepareTransactionDocument,
  SubmitTransactionDocument,
  type TransactionFieldsFragment,
} from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import { registryInstructionRoutes } from './registry-routes.ts'
import {
  estimateFeesSchema,
  prepareSchema,
  prepareSponsoredSchema,
  statusSchema,
  submitSchema,
} from './schemas.ts'
import { toPrepared } from './to-prepared.ts'

export function relayRoutes(app: RestApp, operations: Operations): void {
  const prepare = operations.run(PrepareTransactionDocument)
  const prepareSponsored = operations.run(PrepareSponsoredTransactionDocument)
  const submit = operations.run(SubmitTransactionDocument)
  const getTransaction = operations.run(GetTransactionDocument)
  const estimateFees = operations.run(EstimateFeesDocument)

  app.post('/relay/prepare', { schema: prepareSchema }, async (request) =>
    toPrepared((await prepare(request, { input: request.body })).prepareTransaction),
  )

  app.post('/relay/prepare/sponsored', { schema: prepareSponsoredSchema }, async (request) =>
    toPrepared((await prepareSponsored(request, { input: request.body })).prepareSponsoredTransaction),
  )

  registryInstructionRoutes(app, operations)

  app.post('/relay/submit', { config: { priority: 'high' }, schema: submitSchema }, async (request) =>
    toTransaction((await submit(request, request.body)).submitTransaction),
  )

  app.get('/relay/status/:id', { schema: statusSchema }, async (request) =>
    toTransaction((await getTransaction(request, request.params)).transaction),
  )

  app.post('/relay/estimate-fees', { schema: estimateFeesSchema }, async (request) => {
    const { feeEstimate } = await estimateFees(request, request.body)
    return feeEstimate
  })
}

export function toTransaction({ sponsored, error, ...rest }: TransactionFieldsFragment) {
  return { ...rest, error: error && toFailure(error), ...(sponsored ? { sponsored } : {}) }
}

function toFailure({ logs, ...failure }: NonNullable<TransactionFieldsFragment['error']>) {
  return logs === null ? failure : { ...failure, logs }
}
