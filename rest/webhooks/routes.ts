import type { Operations } from '../operations.ts'
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
import { ignoreBodies } from './ignore-bodies.ts'
import { toDelivery, toDeliveryList, toWebhook } from './map.ts'
import * as schemas from './schemas.ts'
import type { RestApp } from '../rest-app.ts'

export function webhookRoutes(app: RestApp, door: Operations): void {
  const { walletAuth: guarded } = door
  const listEventTypes = door.run(ListWebhookEventTypesDocument)
  const create = door.run(CreateWebhookDocument)
  const list = door.run(ListWebhooksDocument)
  const update = door.run(UpdateWebhookDocument)
  const listDeliveries = door.run(ListWebhookDeliveriesDocument)
  const recover = door.run(RecoverWebhookDocument)

  app.get('/webhooks/event-types', { schema: schemas.eventTypesSchema }, async (request) => {
    const { webhookEventTypes } = await listEventTypes(request, {})
    return { event_types: webhookEventTypes, eventTypes: webhookEventTypes }
  })

  app.post('/webhooks', { ...guarded, schema: schemas.createSchema }, async (request, reply) => {
    const { createWebhook } = await create(request, { input: request.body })
    return reply.code(201).send(createWebhook)
  })

  app.get('/webhooks', { ...guarded, schema: schemas.listSchema }, async (request) => {
    const { webhooks } = await list(request, {})
    return { subscriptions: webhooks.map(toWebhook) }
  })

  app.patch('/webhooks/:id', { ...guarded, schema: schemas.updateSchema }, async (request) => {
    const { updateWebhook } = await update(request, { id: request.params.id, input: request.body })
    return toWebhook(updateWebhook)
  })

  app.get('/webhooks/:id/deliveries', { ...guarded, schema: schemas.deliveriesSchema }, async (request) =>
    toDeliveryList(await listDeliveries(request, { ...request.params, ...request.query })),
  )

  app.post('/webhooks/:id/recover', { ...guarded, schema: schemas.recoverSchema }, async (request, reply) => {
    const { recoverWebhook } = await recover(request, { ...request.params, ...request.body })
    return reply.code(202).send(recoverWebhook)
  })

  void app.register(async (bodiless: RestApp) => {
    ignoreBodies(bodiless)
    actions(bodiless, door)
  })
}

/** What is asked for by its path alone. */
function actions(app: RestApp, door: Operations): void {
  const { walletAuth: guarded } = door
  const remove = door.run(DeleteWebhookDocument)
  const rotate = door.run(RotateWebhookSecretDocument)
  const ping = door.run(PingWebhookDocument)
  const resend = door.run(ResendWebhookDeliveryDocument)

  app.delete('/webhooks/:id', { ...guarded, schema: schemas.deleteSchema }, async (request) => {
    const { deleteWebhook } = await remove(request, request.params)
    return deleteWebhook
  })

  app.post('/webhooks/:id/rotate-secret', { ...guarded, schema: schemas.rotateSchema }, async (request) => {
    const { rotateWebhookSecret } = await rotate(request, request.params)
    return rotateWebhookSecret
  })

  app.post('/webhooks/:id/ping', { ...guarded, schema: schemas.pingSchema }, async (request, reply) => {
    const { pingWebhook } = await ping(request, request.params)
    return reply.code(202).send(toDelivery(pingWebhook))
  })

  app.post(
    '/webhooks/:id/deliveries/:deliveryId/resend',
    { ...guarded, schema: schemas.resendSchema },
    async (request, reply) => {
      const { resendWebhookDelivery } = await resend(request, request.params)
      return reply.code(202).send(toDelivery(resendWebhookDelivery))
    },
  )
}
