import {
  CreateWebhookDocument,
  DeleteWebhookDocument,
  ListWebhookDeliveriesDocument,
  ListWebhookEventTypesDocument,
  ListWebhooksDocument,
  PingWebhookDocument,
  RecoverWebhookDocument,
  ResendWebhookDeliveryDocument,
  RotateWebhookSecretDocument,
  UpdateWebhookDocument,
} from '../generated/graphql.ts'
import type { Operations } from '../operations.ts'
import type { RestApp } from '../rest-app.ts'
import * as schemas from './schemas.ts'

export function webhookRoutes(app: RestApp, operations: Operations): void {
  const { walletAuth } = operations
  const listEventTypes = operations.run(ListWebhookEventTypesDocument)
  const create = operations.run(CreateWebhookDocument)
  const list = operations.run(ListWebhooksDocument)
  const update = operations.run(UpdateWebhookDocument)
  const listDeliveries = operations.run(ListWebhookDeliveriesDocument)
  const recover = operations.run(RecoverWebhookDocument)

  app.get('/webhooks/event-types', { schema: schemas.eventTypesSchema }, async (request) => {
    const { webhookEventTypes } = await listEventTypes(request, {})
    return { event_types: webhookEventTypes, eventTypes: webhookEventTypes }
  })

  app.post('/webhooks', { ...walletAuth, schema: schemas.createSchema }, async (request, reply) => {
    const { createWebhook } = await create(request, { input: request.body })
    return reply.code(201).send(createWebhook)
  })

  app.get('/webhooks', { ...walletAuth, schema: schemas.listSchema }, async (request) => {
    const { webhooks } = await list(request, {})
    return { subscriptions: webhooks }
  })

  app.patch('/webhooks/:id', { ...walletAuth, schema: schemas.updateSchema }, async (request) => {
    const { updateWebhook } = await update(request, { ...request.params, input: request.body })
    return updateWebhook
  })

  app.get(
    '/webhooks/:id/deliveries',
    { ...walletAuth, schema: schemas.deliveriesSchema },
    async (request) => {
      const { webhookDeliveries } = await listDeliveries(request, { ...request.params, ...request.query })
      return webhookDeliveries
    },
  )

  app.post(
    '/webhooks/:id/recover',
    { ...walletAuth, schema: schemas.recoverSchema },
    async (request, reply) => {
      const { recoverWebhook } = await recover(request, { ...request.params, ...request.body })
      return reply.code(202).send(recoverWebhook)
    },
  )

  void app.register(async (scope: RestApp) => {
    ignoreBodies(scope)
    bodilessRoutes(scope, operations)
  })
}

/** Many clients send `{}`, or an empty body labelled as JSON, where no body is needed. */
function ignoreBodies(app: RestApp): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    payload.on('end', () => done(null))
    payload.on('error', done)
  })
}

function bodilessRoutes(app: RestApp, operations: Operations): void {
  const { walletAuth } = operations
  const remove = operations.run(DeleteWebhookDocument)
  const rotate = operations.run(RotateWebhookSecretDocument)
  const ping = operations.run(PingWebhookDocument)
  const resend = operations.run(ResendWebhookDeliveryDocument)

  app.delete('/webhooks/:id', { ...walletAuth, schema: schemas.deleteSchema }, async (request) => {
    const { deleteWebhook } = await remove(request, request.params)
    return deleteWebhook
  })

  app.post(
    '/webhooks/:id/rotate-secret',
    { ...walletAuth, schema: schemas.rotateSchema },
    async (request) => {
      const { rotateWebhookSecret } = await rotate(request, request.params)
      return rotateWebhookSecret
    },
  )

  app.post('/webhooks/:id/ping', { ...walletAuth, schema: schemas.pingSchema }, async (request, reply) => {
    const { pingWebhook } = await ping(request, request.params)
    return reply.code(202).send(pingWebhook)
  })

  app.post(
    '/webhooks/:id/deliveries/:deliveryId/resend',
    { ...walletAuth, schema: schemas.resendSchema },
    async (request, reply) => {
      const { resendWebhookDelivery } = await resend(request, request.params)
      return reply.code(202).send(resendWebhookDelivery)
    },
  )
}
