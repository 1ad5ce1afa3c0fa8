import { access, constants, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { reachableUrl } from '../config/addresses.ts'
import { findDataFolder } from '../storage/open-storage.ts'
import { type Finding, failed, isOk, type Subject, toReason, warns } from './finding.ts'

const minNode = 22
const testedNode = 24
const gigabyte = 2 ** 30
const megabyte = 2 ** 20
const minMemory = 512 * megabyte

export const checkNode = (version = process.versions.node): Finding => {
  const major = Number(version.split('.')[0])
  if (major < minNode)
    return failed('Node.js', `This is Node.js ${version}.`, `Install Node.js ${testedNode}: https://nodejs.org`)
  if (major < testedNode)
    return warns(
      'Node.js',
      `This is Node.js ${version}; the service is tested with ${testedNode}.`,
      `Install Node.js ${testedNode}.`,
    )
  return isOk('Node.js', version)
}

export const checkMemory = (available = process.availableMemory()): Finding => {
  const shown = `${Math.round(available / megabyte)} MB are free`
  if (available >= minMemory) return isOk('Memory', `${shown}.`)
  return warns('Memory', `Only ${shown}.`, 'Give the machine or container 1 GB or more, or set NOEMA_EMBEDDINGS=off.')
}

/** The folder itself, or its nearest existing parent. */
const findExisting = async (folder: string): Promise<string> => {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  )
  return isThere || dirname(folder) === folder ? folder : findExisting(dirname(folder))
}

const checkRights = async (folder: string, existing: string): Promise<Finding> => {
  const name = 'Data folder'
  if (!(await stat(existing)).isDirectory())
    return failed(name, `${existing} is not a folder.`, 'Move that file away, or set NOEMA_DATA_DIR to a folder.')
  const isOpen = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  const who = `chown -R ${process.getuid?.() ?? '$(id -u)'} ${existing}`
  if (!isOpen)
    return failed(name, `${existing} is not writable.`, `Run: ${who}, or set NOEMA_DATA_DIR to another folder.`)
  return isOk(name, existing === folder ? `${folder} is writable.` : `${folder} will be created.`)
}

const checkDisk = async (folder: string): Promise<Finding> => {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const shown = `${(free / gigabyte).toFixed(1)} GB are free at ${folder}`
  const fix = 'Free some space, or set NOEMA_DATA_DIR to a folder on a larger disk.'
  if (free < gigabyte / 2) return failed('Disk', `Only ${shown}.`, fix)
  return free < 5 * gigabyte ? warns('Disk', `Only ${shown}.`, fix) : isOk('Disk', `${shown}.`)
}

const checkSecretFile = async (path: string): Promise<Finding[]> => {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return []
  if ((found.mode & 0o077) === 0) return [isOk('Secrets on disk', `Others cannot read ${path}.`)]
  return [failed('Secrets on disk', `Other users can read ${path}.`, `Run: chmod 600 ${path}`)]
}

/** Checks the folder of the built-in database: rights, space, and the rights of its secret. */
export const checkFolders = async ({ config, cwd }: Subject): Promise<Finding[]> => {
  const envFile = await checkSecretFile(join(cwd, '.env'))
  const folder = findDataFolder(config, cwd)
  if (folder === undefined) return envFile
  const existing = await findExisting(folder)
  return [
    await checkRights(folder, existing),
    await checkDisk(existing),
    ...(await checkSecretFile(join(folder, 'secret'))),
    ...envFile,
  ]
}

const tryPort = (port: number, host: string): Promise<unknown> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen({ port, host }, () => probe.close(() => resolve(undefined)))
  })

/** Checks that the port is free or used by the service itself. */
export const checkPort = async (
  { config }: Subject,
  isService: (url: string) => Promise<boolean>,
): Promise<Finding> => {
  const place = `${config.host}:${config.port}`
  const error = await tryPort(config.port, config.host)
  if (error === undefined) return isOk('Port', `${place} is free.`)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'EADDRINUSE')
    return failed(
      'Port',
      `The service cannot listen on ${place}: ${toReason(error)}.`,
      'Set NOEMA_HOST and NOEMA_PORT to an address of this machine.',
    )
  if (await isService(reachableUrl({ ...config, publicUrl: undefined }, config.port)))
    return isOk('Port', `The service is running at ${place}.`)
  return failed('Port', `Another program listens at ${place}.`, 'Stop it, or set NOEMA_PORT to another port.')
}
