import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import { isRunHidden } from '../../api/hidden-items.ts'
import { sharedPath } from '../../api/routes/shared-runs.ts'
import { openShare } from '../../features/agents/run-shares/open-share.ts'
import { toBasePath } from '../../shared/network/base-path.ts'
import type { Admission } from '../admission/admission.ts'
import { gonePage, sharedRunPage } from './page.ts'

// Serves the pages of runs that are shared by a link. No cookie or key counts here, and no script runs: what allows a page is the
// token in its address.

const maxTokenLength = 1_000

const safety = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

const send = (reply: FastifyReply, status: number, page: string) => reply.status(status).headers(safety).send(page)

/** Registers the page. Requests count by their address. */
export const registerSharedRuns = (app: FastifyInstance, admission: Pick<Admission, 'admit'>, deps: AppDeps): void => {
  const base = toBasePath(deps.publicUrl)
  const opening = {
    ...deps,
    isHidden: (run: { organizationId: string; id: string }, userId: string) => isRunHidden(deps.db, run, userId),
  }
  app.register((scope, _options, done) => {
    scope.addHook('onRequest', async (request, reply) => {
      await admission.admit(request, reply, async () => ({ kind: 'public' }))
    })
    scope.route({
      ...{ method: ['GET', 'HEAD'], url: `${sharedPath}/:token` },
      handler: async (request, reply) => {
        const { token } = request.params as { token: string }
        const isView = request.method === 'GET'
        const run = token.length <= maxTokenLength ? await openShare(opening, token, isView) : undefined
        return run ? send(reply, 200, sharedRunPage(base, run)) : send(reply, 404, gonePage(base))
      },
    })
    done()
  })
}
