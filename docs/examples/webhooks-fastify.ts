import { type BrainDelivery, unwrap, WebhookVerificationError } from '@noema/sdk/webhooks'
import { fastify } from 'fastify'

export const createReceiver = (secret: string, handle: (delivery: BrainDelivery) => Promise<unknown>) => {
  const app = fastify()
  // The signature covers the bytes as they were sent, so they stay bytes.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post<{ Body: Buffer }>('/hook', async (request, reply) => {
    const delivery = await unwrap(request.body, request.headers, secret)
    if (delivery.kind === 'brain') await handle(delivery)
    return reply.status(204).send()
  })
  app.setErrorHandler((error, _request, reply) =>
    reply.status(error instanceof WebhookVerificationError ? 400 : 500).send(),
  )
  return app
}
