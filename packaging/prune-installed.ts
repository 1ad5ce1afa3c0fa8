import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

// Runs after an installation (`prepare`): deletes installed files that nothing here loads. The next `npm ci` restores them.

const require = createRequire(new URL('../server/package.json', import.meta.url))

/** Deletes the siblings of the folder to keep. If that one is missing, the purpose of the others is unknown. */
const deleteOthers = (folder: string, kept: string): void => {
  const names = readdirSync(folder)
  if (!names.includes(kept)) return
  for (const name of names) if (name !== kept) rmSync(join(folder, name), { recursive: true, force: true })
}

/** The runtime of the embedding model contains the binaries of every platform, 290 MB, of which this machine loads 45. */
const pruneRuntime = (): void => {
  const versions = join(dirname(require.resolve('onnxruntime-node/package.json')), 'bin')
  for (const version of readdirSync(versions)) {
    deleteOthers(join(versions, version), process.platform)
    const own = join(versions, version, process.platform)
    if (existsSync(own)) deleteOthers(own, process.arch)
  }
}

/** The reference loads two files of Swagger UI, which comes in four builds with their source maps, 12 MB. */
const pruneReference = (): void => {
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'))
  for (const name of readdirSync(folder))
    if (/\.map$|-es-bundle|standalone-preset/.test(name)) rmSync(join(folder, name), { force: true })
}

/** Node comes with its headers, 67 MB, for those who compile against it. */
const pruneNode = (): void => {
  const folder = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'node_modules')
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    rmSync(join(folder, name, 'include'), { recursive: true, force: true })
}

pruneRuntime()
pruneReference()
pruneNode()
