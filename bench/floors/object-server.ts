import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// A server with the API of S3 that runs in a separate process and stores objects in a folder. Its bucket is `files`.

type Server = { run(): Promise<AddressInfo>; close(): Promise<void> }

/** The package has no types and is of the older kind of modules. */
const S3rver: new (options: object) => Server = createRequire(import.meta.url)('@20minutes/s3rver')

const directory = await mkdtemp(join(tmpdir(), 'noema-bench-objects-'))
const configureBuckets = [{ name: 'files' }]
const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets })
const { port } = await server.run()
process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${port}/` })}\n`)

const stop = async () => {
  await server.close()
  await rm(directory, { recursive: true, force: true })
  process.exit()
}
process.once('SIGTERM', () => void stop())
