import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Way = {
  /** The path that belongs to the service; everything else of the host is another's. */
  basePath: string
  /** True if requests are forwarded with the base path. */
  keepsPath: boolean
}

/** A reverse proxy in front of a service that shares its host with others. `strayed` lists the requests for the others. */
export const startPathProxy = async ({ basePath, keepsPath }: Way) => {
  let target: URL | undefined
  const strayed: string[] = []
  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const { url = '', method, headers } = incoming
    if (!target || (url !== basePath && !url.startsWith(`${basePath}/`))) {
      strayed.push(`${method} ${url}`)
      response.writeHead(404).end('This belongs to somebody else.')
      return
    }
    const path = keepsPath ? url : url.slice(basePath.length) || '/'
    const onward = request({ host: target.hostname, port: target.port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    incoming.pipe(onward)
  }
  const server = createServer(pass).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: origin + basePath,
    strayed,
    /** Says where the service listens. */
    passTo: (base: string) => {
      target = new URL(base)
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
