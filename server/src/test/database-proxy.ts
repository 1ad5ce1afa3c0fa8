import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** Where a database URL leads: a Unix socket, when its host is a folder, or TCP. */
const toTarget = (url: URL): NetConnectOpts => {
  const host = url.searchParams.get('host') ?? url.hostname
  const port = Number(url.searchParams.get('port') || url.port || 5432)
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** A way to the database that can be cut: `cut` breaks and refuses connections, `silence` accepts and never answers. */
export const startDatabaseProxy = async () => {
  let target: NetConnectOpts | undefined
  let mode: 'open' | 'cut' | 'silent' = 'open'
  const sockets = new Set<Socket>()
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    track(near)
    if (mode === 'silent') return
    if (mode === 'cut' || !target) {
      near.destroy()
      return
    }
    const far = track(connect(target))
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const become = (next: typeof mode) => {
    mode = next
    for (const socket of sockets) socket.destroy()
  }
  return {
    /** The URL that leads to this database through the proxy. */
    reach: (databaseUrl: string): string => {
      const url = new URL(databaseUrl)
      target = toTarget(url)
      url.searchParams.delete('host')
      url.searchParams.delete('port')
      url.host = `127.0.0.1:${port}`
      return url.href
    },
    cut: () => become('cut'),
    silence: () => become('silent'),
    open: () => become('open'),
    close: async () => {
      become('cut')
      server.close()
    },
  }
}
