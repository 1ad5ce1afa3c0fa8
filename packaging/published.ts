import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Manifest, repository } from './manifest.ts'

// The fields of a package that a registry shows. The repository's address is the origin of the clone, so that the package of a
// fork names the fork, as provenance requires. A clone of a local folder has no public address, and its packages name none.

/** The address of a remote as people open it, such as `https://host/owner/name`; undefined if it is not public. */
export const toWebAddress = (remote: string): string | undefined => {
  const [, host, path] =
    /^(?:https:\/\/(?:[^/@]*@)?|ssh:\/\/(?:[^/@]*@)?|[\w.-]+@)([\w.-]+)(?::\d+)?[/:]([\w.~/-]+?)(?:\.git)?\/?$/.exec(
      remote.trim(),
    ) ?? []
  return host === undefined ? undefined : `https://${host}/${path}`
}

const readAddress = (): string | undefined => {
  try {
    const said = execFileSync('git', ['remote', 'get-url', 'origin'], { cwd: repository, stdio: 'pipe' })
    return toWebAddress(said.toString())
  } catch {
    return undefined
  }
}

/** The fields of a package.json that are the same in all packages. `directory`: the package's folder in the repository. */
export const toPublished = (directory: string, address = readAddress()): Partial<Manifest> => ({
  keywords: ['ai', 'agents', 'memory', 'knowledge', 'mcp', 'review', 'audit', 'self-hosted'],
  publishConfig: { access: 'public', provenance: true },
  ...(address && {
    homepage: `${address}#readme`,
    repository: { type: 'git', url: `git+${address}.git`, directory },
    bugs: { url: `${address}/issues` },
  }),
})

/** A README whose links to other files of the repository lead there; without an address, only their texts remain. */
export const toPublishedText = (text: string, directory: string, address = readAddress()): string =>
  text.replace(
    /(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g,
    (_found, image: string, label: string, target: string) => {
      if (!address) return label
      const path = posix.normalize(posix.join(directory, target))
      return `${image}[${label}](${address}/${image ? 'raw' : 'blob'}/HEAD/${path})`
    },
  )

/** Writes the README of a folder of the repository into a package. */
export const writeReadme = (directory: string, target: string): void => {
  const source = fileURLToPath(new URL(posix.join(directory, 'README.md'), repository))
  writeFileSync(target, toPublishedText(readFileSync(source, 'utf8'), directory))
}
