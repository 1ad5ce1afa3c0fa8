import { type BrainDelivery, unwrap, WebhookVerificationError } from '@noema/sdk/webhooks'
import { Hono } from 'hono'

export const createReceiver = (secret: string, handle: (delivery: BrainDelivery) => Promise<unknown>) => {
  const app = new Hono()
  app.post('/hook', async (context) => {
    const delivery = await unwrap(await context.req.arrayBuffer(), context.req.raw.headers, secret)
    if (delivery.kind === 'brain') await handle(delivery)
    return context.body(null, 204)
  })
  app.onError((error, context) => context.body(null, error instanceof WebhookVerificationError ? 400 : 500))
  return app
}
