import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** The target of a database URL: a Unix socket if its host is a folder, else TCP. */
const toTarget = (url: URL): NetConnectOpts => {
  const host = url.searchParams.get('host') ?? url.hostname
  const port = Number(url.searchParams.get('port') || url.port || 5432)
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** The fate of an answer: after some bytes it is delayed, with everything after it, or never arrives. */
export type Loss = { afterBytes: number; milliseconds: number | 'never' }

/** Draws the fate of the answer to a statement. */
export type DrawLoss = (statement: string) => Loss | undefined

/** Forwards statements and their answers. */
const passAll = (near: Socket, far: Socket, drawLoss: DrawLoss) => {
  let loss: Loss | undefined
  let held: Buffer[] | undefined
  const release = () => {
    for (const chunk of held ?? []) near.write(chunk)
    held = undefined
  }
  near.on('data', (chunk) => {
    if (!held) loss ??= drawLoss(chunk.toString('latin1'))
    far.write(chunk)
  })
  far.on('data', (chunk) => {
    if (held) held.push(chunk)
    else if (!loss) near.write(chunk)
    else {
      const { afterBytes, milliseconds } = loss
      loss = undefined
      near.write(chunk.subarray(0, afterBytes))
      if (milliseconds === 'never') near.destroy()
      else {
        held = [chunk.subarray(afterBytes)]
        setTimeout(release, milliseconds).unref()
      }
    }
  })
}

/**
 * A proxy to the database that can fail: `cut` breaks and refuses connections, `silence` accepts and never answers, `stall`
 * keeps connections and forwards nothing, `lose` loses some answers.
 */
export const startDatabaseProxy = async () => {
  let target: NetConnectOpts | undefined
  let mode: 'open' | 'cut' | 'silent' | 'stalled' = 'open'
  let drawLoss: DrawLoss = () => undefined
  const sockets = new Set<Socket>()
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    track(near)
    if (mode === 'silent' || mode === 'stalled') return
    if (mode === 'cut' || !target) {
      near.destroy()
      return
    }
    const far = track(connect(target))
    passAll(near, far, (statement) => drawLoss(statement))
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
    stall: () => {
      mode = 'stalled'
      for (const socket of sockets) socket.pause()
    },
    lose: (draw: DrawLoss) => {
      drawLoss = draw
    },
    open: () => become('open'),
    close: async () => {
      become('cut')
      server.close()
    },
  }
}
