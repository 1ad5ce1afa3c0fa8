import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  type AppTarget,
  describeAuthorizationServer,
  describeOpenId,
  describeResource,
  keysPath,
  readResource,
  toResourcePath,
} from '../../features/accounts/apps/resources.ts'
import { notFound } from '../../shared/errors.ts'
import { toBasePath } from '../../shared/network/base-path.ts'
import { resourceMetadataPath } from '../admission/app-challenge.ts'

// The metadata by which an app finds out where to ask for access (RFC 9728, RFC 8414). It is made of the settings
// alone, so it needs neither the database nor Better Auth, and says nothing about what exists.

const send = (reply: FastifyReply, document: object) =>
  reply.header('cache-control', 'public, max-age=300').type('application/json').send(JSON.stringify(document))

export const registerAppMetadata = (
  app: FastifyInstance,
  { publicUrl, takesRegistrations }: { publicUrl: string; takesRegistrations: boolean },
): void => {
  const basePath = toBasePath(publicUrl)
  const get = (path: string, toDocument: (handle: string | undefined) => object) =>
    app.get(path, { exposeHeadRoute: true }, async (request, reply) =>
      send(reply, toDocument((request.params as { handle?: string }).handle)),
    )
  const describe = (handle: string | undefined): object => {
    const asked: AppTarget = handle === undefined ? 'agents' : { handle }
    const target = readResource(publicUrl, publicUrl + toResourcePath(asked))
    if (target === undefined) throw notFound(`${JSON.stringify(handle)} cannot be the handle of a Brain.`)
    return describeResource(publicUrl, target)
  }
  // A client puts the well-known part in front of the whole path; below a base path, a proxy may send only what follows it.
  for (const base of new Set(['', basePath])) {
    get(`${resourceMetadataPath}${base}/v1`, () => describeResource(publicUrl, 'models'))
    get(`${resourceMetadataPath}${base}/v1/mcp`, describe)
    get(`${resourceMetadataPath}${base}/v1/brains/:handle/mcp`, describe)
  }
  const places = (name: string) => [
    `/.well-known/${name}`,
    ...new Set(['', basePath].map((base) => `/.well-known/${name}${base}/api/auth`)),
    `/api/auth/.well-known/${name}`,
  ]
  const settings = { takesRegistrations }
  for (const path of places('oauth-authorization-server'))
    get(path, () => describeAuthorizationServer(publicUrl, settings))
  for (const path of places('openid-configuration')) get(path, () => describeOpenId(publicUrl, settings))
  get(`/api/auth${keysPath}`, () => ({ keys: [] }))
}
