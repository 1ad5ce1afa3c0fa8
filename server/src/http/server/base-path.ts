import type { FastifyInstance } from 'fastify'
import { BadSetting } from '../../config/setting.ts'

/** The first part of a path: `v1` of /v1/brains. */
const toFirstPart = (path: string): string => path.split('/')[1] ?? ''

/**
 * Refuses a base path that begins like a route of the service, because a request could then mean two things. Call this before
 * the routes are registered.
 */
export const guardBasePath = (app: FastifyInstance, basePath: string): void => {
  if (basePath === '') return
  const first = toFirstPart(basePath)
  app.addHook('onRoute', ({ url }) => {
    if (toFirstPart(url) === first)
      throw new BadSetting(
        `NOEMA_PUBLIC_URL has the path ${basePath}, and /${first} is a path of the service itself. Choose another, such as /noema.`,
      )
  })
}
