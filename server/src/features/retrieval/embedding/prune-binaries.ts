import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

// Run after an installation (`prepare`): the runtime of the embedding model comes with the binaries of every platform, 290 MB
// of which this machine loads 45. Those of other platforms go. They come back with the next `npm ci`.

const require = createRequire(import.meta.url)

/** Deletes the folders beside the one that is kept. Where that one is missing, nobody knows what the others are for. */
const deleteOthers = (folder: string, kept: string): void => {
  const names = readdirSync(folder)
  if (!names.includes(kept)) return
  for (const name of names) if (name !== kept) rmSync(join(folder, name), { recursive: true, force: true })
}

const versions = join(dirname(require.resolve('onnxruntime-node/package.json')), 'bin')
for (const version of readdirSync(versions)) {
  deleteOthers(join(versions, version), process.platform)
  const own = join(versions, version, process.platform)
  if (existsSync(own)) deleteOthers(own, process.arch)
}
