import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { isolate } from './run-isolated.ts'

const script = fileURLToPath(new URL('forbidden.fixture.ts', import.meta.url))

/** A server that counts its connections. */
const openServer = async () => {
  let connections = 0
  const server = createServer((_request, response) => response.end('x')).on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, count: () => connections }
}

const run = async (flags: readonly string[], port: number) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, String(port)], { env: {} })
  return JSON.parse(stdout)
}

test('FIL-09 COD-02 the process that reads files, or runs code, reads no other file, starts nothing and has no network', async () => {
  const { port, count } = await openServer()
  expect(await run(isolate({ program: script, libraries: [] }, 256 * 1024 * 1024), port)).toEqual({
    tried: 11,
    done: [],
  })
  expect(count()).toBe(0)
  expect((await run([], port)).done.length).toBeGreaterThan(5)
  expect(count()).toBeGreaterThan(0)
})
