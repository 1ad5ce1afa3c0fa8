import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../shared/errors.ts'
import { type StaticFile, sendMissing } from '../request/static-files.ts'

// Paths that no route has. A browser that opens one gets a page, and a program an error of the API.

/** Paths for programs only. Their answers stay JSON, also for a person who looks at them in a browser. */
const isForPrograms = (url: string): boolean => /^\/(v1|api)(\/|$)/.test(url)

/** A browser that opens a page names HTML; programs that accept anything do not. */
const opensPage = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !isForPrograms(url) && /\btext\/html\b/i.test(headers.accept ?? '')

/** Answers paths that do not exist, with `page` for browsers if there is one. */
export const registerNotFound = (app: FastifyInstance, page: StaticFile | undefined): void => {
  app.setNotFoundHandler((request, reply) => {
    if (page && opensPage(request)) return sendMissing(request, reply, page)
    throw notFound(
      `There is no ${request.method} ${request.url.split('?')[0]}. GET /v1/openapi.json lists every endpoint.`,
    )
  })
}
