import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Admission } from '../admission/admission.ts'
import { readBytes } from '../request/read-bytes.ts'

// The page that the link of a mail leads to. Opening it changes nothing, because programs open links too; its button, or a mail
// program's own (RFC 8058), does. No cookie counts here: what allows it is the token in the address.

const path = '/unsubscribe'
const maxTokenLength = 1_000

const safety = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

const toPage = (content: string): string =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Noema</title></head><body><main><h1>Daily mail</h1>${content}</main></body></html>\n`

const askPage = toPage(
  '<form method="post"><p>Unsubscribe from the daily mail of this organization?</p><p><button>Unsubscribe</button></p></form>',
)
const donePage = toPage(
  '<p>You are unsubscribed from the daily mail of this organization. You can turn it on again when you sign in.</p>',
)
const unknownPage = toPage('<p>This link does not work any more. Sign in to change your settings.</p>')

const send = (reply: FastifyReply, status: number, page: string) => reply.status(status).headers(safety).send(page)

const findToken = ({ query }: FastifyRequest): string => {
  const { token } = query as { token?: unknown }
  return typeof token === 'string' && token.length <= maxTokenLength ? token : ''
}

/** Serves the page, and ends a mail by `unsubscribe`, which answers whether the token is one. Requests count by their address. */
export const registerUnsubscribe = (
  app: FastifyInstance,
  admission: Pick<Admission, 'admit'>,
  unsubscribe: (token: string) => Promise<boolean>,
): void => {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    // The posts of mail programs add nothing to the address.
    scope.addContentTypeParser('*', readBytes)
    scope.addHook('onRequest', async (request, reply) => {
      await admission.admit(request, reply, async () => ({ kind: 'public' }))
    })
    scope.route({ method: ['GET', 'HEAD'], url: path, handler: async (_request, reply) => send(reply, 200, askPage) })
    scope.route({
      ...{ method: 'POST', url: path, bodyLimit: 4_096 },
      handler: async (request, reply) => {
        const isDone = await unsubscribe(findToken(request))
        return send(reply, isDone ? 200 : 404, isDone ? donePage : unknownPage)
      },
    })
    done()
  })
}
