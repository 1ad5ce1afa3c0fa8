import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDatabaseProxy } from './database-proxy.ts'

// A server with the API of S3, which keeps objects in a folder and checks signatures. It is behind a proxy that can fail.

type Server = { run(): Promise<AddressInfo>; close(): Promise<void> }
type Options = {
  address: string
  port: number
  silent: boolean
  directory: string
  configureBuckets: { name: string }[]
}

/** The package has no types and is of the older kind of modules. */
const S3rver: new (options: Options) => Server = createRequire(import.meta.url)('@20minutes/s3rver')

const bucket = 'files'
/** The only key that the server knows, by default. */
const accessKey = 'S3RVER'

/** Starts the server. Its bucket is empty; the settings lead to a prefix in it. */
export const startObjectServer = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'noema-objects-'))
  const server = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory },
    configureBuckets: [{ name: bucket }],
  })
  const { port } = await server.run()
  const proxy = await startDatabaseProxy()
  const url = proxy.reach(`http://127.0.0.1:${port}/${bucket}/prefix`)
  /** The sizes of the stored objects by their keys, below a folder of the prefix. */
  const list = async (folder = ''): Promise<Map<string, number>> => {
    const root = join(directory, bucket, 'prefix', folder)
    const names = await readdir(root, { recursive: true }).catch(() => [])
    const objects = names.filter((name) => name.endsWith('._S3rver_object'))
    const sizes = objects.map(async (name) => [name, (await stat(join(root, name))).size] as const)
    return new Map(await Promise.all(sizes))
  }
  return {
    settings: {
      NOEMA_ARTIFACT_S3_URL: url,
      NOEMA_ARTIFACT_S3_ACCESS_KEY_ID: accessKey,
      NOEMA_ARTIFACT_S3_SECRET_ACCESS_KEY: accessKey,
    },
    list,
    /** The bytes of all objects of an organization. */
    count: async (organizationId: string): Promise<number> => {
      const objects = await list(organizationId)
      return [...objects.values()].reduce((sum, size) => sum + size, 0)
    },
    cut: proxy.cut,
    stall: proxy.silence,
    open: proxy.open,
    close: async () => {
      await proxy.close()
      await server.close()
      await rm(directory, { recursive: true })
    },
  }
}

export type ObjectServer = Awaited<ReturnType<typeof startObjectServer>>
