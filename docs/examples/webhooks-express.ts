import { type BrainDelivery, unwrap, WebhookVerificationError } from '@noema/sdk/webhooks'
import express from 'express'

export const createReceiver = (secret: string, handle: (delivery: BrainDelivery) => Promise<unknown>) => {
  const app = express()
  // `express.json()` would parse the body, and a parsed body cannot be verified.
  app.post('/hook', express.raw({ type: 'application/json' }), async (request, response) => {
    try {
      const delivery = await unwrap(request.body, request.headers, secret)
      if (delivery.kind === 'brain') await handle(delivery)
      response.status(204).end()
    } catch (error) {
      response.status(error instanceof WebhookVerificationError ? 400 : 500).end()
    }
  })
  return app
}
