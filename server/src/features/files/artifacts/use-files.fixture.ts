import { connect } from 'node:net'
import { afterEach, expect } from 'vitest'
import type { TestApp, TestMember } from '../../../test/app.ts'
import type { ObjectServer } from '../../../test/object-server.ts'

type Sent = { headers?: Record<string, string>; query?: string; body?: Buffer | string; base?: string }
/** Ways to send and read files of an app, and to look at the bytes that are left of them. */
export const useFiles = (app: TestApp, server?: Pick<ObjectServer, 'count'>) => {
  const sockets: { destroy(): void }[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })

  const upload = async (
    { key }: Pick<TestMember, 'key'>,
    path: string,
    { headers = {}, query = '', body = 'text', base = app.base }: Sent = {},
  ) => {
    const response = await fetch(`${base}/v1/artifacts?path=${encodeURIComponent(path)}${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  }

  const download = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(path.startsWith('http') ? path : app.base + path, { method, headers })
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const select = async (sql: string, ...values: unknown[]) => (await app.database.pool.query(sql, values)).rows

  const countStored = async (organizationId: string): Promise<number> => {
    const [row] = await select(
      'select coalesce(sum(octet_length(bytes)), 0)::integer as rows from artifact_chunks where organization_id = $1',
      organizationId,
    )
    return row.rows + ((await server?.count(organizationId)) ?? 0)
  }

  /** The stored and the counted bytes of an organization, which must agree. */
  const readKept = async ({ organizationId }: TestMember) => {
    const [row] = await select(
      `select (select coalesce(sum(bytes), 0)::integer from artifact_bodies where organization_id = $1) as bodies,
        (select coalesce(sum(bytes), 0)::integer from artifact_usage where organization_id = $1) as used,
        (select coalesce(sum(bodies), 0)::integer from artifact_usage where organization_id = $1) as counted,
        (select count(*)::integer from artifact_bodies where organization_id = $1) as count`,
      organizationId,
    )
    const stored = await countStored(organizationId)
    expect([row.bodies, row.used, row.counted]).toEqual([stored, stored, row.count])
    return stored
  }

  /** An upload whose body arrives as the test sends it. */
  const openUpload = ({ key }: Pick<TestMember, 'key'>, path: string, { port } = new URL(app.base)) => {
    const socket = connect(Number(port), '127.0.0.1')
    sockets.push(socket)
    const answered = new Promise<string>((resolve) => {
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
        resolve(text)
      })
      socket.on('close', () => resolve(text)).on('error', () => resolve(text))
    })
    const head = [`POST /v1/artifacts?path=${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${key}`]
    socket.write(`${[...head, 'content-type: text/plain', 'transfer-encoding: chunked'].join('\r\n')}\r\n\r\n`)
    const send = (bytes: Buffer) => {
      socket.write(`${bytes.length.toString(16)}\r\n`)
      socket.write(bytes)
      socket.write('\r\n')
    }
    return { socket, answered, send, end: () => socket.write('0\r\n\r\n') }
  }
  /** Waits until so many bytes of an organization arrived. In a store they arrive in whole objects. */
  const untilStored = ({ organizationId }: Pick<TestMember, 'organizationId'>, bytes: number) =>
    expect.poll(() => countStored(organizationId)).toBe(bytes)
  /** Waits until so many uploads of an organization have begun. */
  const untilBegun = ({ organizationId }: TestMember, count: number) =>
    expect
      .poll(() => select('select from artifact_bodies where organization_id = $1', organizationId))
      .toHaveLength(count)

  return { upload, download, select, readKept, openUpload, untilStored, untilBegun }
}
