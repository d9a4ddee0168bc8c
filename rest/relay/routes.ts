import type { Operations } from '../operations.ts'
import {
  EstimateFeesDocument,
  GetTransactionDocument,
  PrepareSponsoredTransactionDocument,
  PrepareTransactionDocument,
  SubmitTransactionDocument,
} from '../generated/graphql.ts'
import { toPrepared, toTransaction } from './map.ts'
import {
  estimateFeesSchema,
  prepareSchema,
  prepareSponsoredSchema,
  statusSchema,
  submitSchema,
} from './schemas.ts'
import type { RestApp } from '../rest-app.ts'

export function relayRoutes(app: RestApp, door: Operations): void {
  const prepare = door.run(PrepareTransactionDocument)
  const prepareSponsored = door.run(PrepareSponsoredTransactionDocument)
  const submit = door.run(SubmitTransactionDocument)
  const getTransaction = door.run(GetTransactionDocument)
  const estimateFees = door.run(EstimateFeesDocument)

  app.post('/relay/prepare', { schema: prepareSchema }, async (request) =>
    toPrepared((await prepare(request, { input: request.body })).prepareTransaction),
  )

  app.post('/relay/prepare/sponsored', { schema: prepareSponsoredSchema }, async (request) => {
    const { prepareSponsoredTransaction } = await prepareSponsored(request, { input: request.body })
    return toPrepared(prepareSponsoredTransaction)
  })

  app.post('/relay/submit', { config: { priority: 'high' }, schema: submitSchema }, async (request) => {
    const { submitTransaction } = await submit(request, request.body)
    return toTransaction(submitTransaction)
  })

  app.get('/relay/status/:id', { schema: statusSchema }, async (request) => {
    const { transaction } = await getTransaction(request, request.params)
    return toTransaction(transaction)
  })

  app.post('/relay/estimate-fees', { schema: estimateFeesSchema }, async (request) => {
    const { feeEstimate } = await estimateFees(request, request.body)
    return feeEstimate
  })
}
