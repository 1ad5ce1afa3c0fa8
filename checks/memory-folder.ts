import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'

// Tests make some thousand files in temporary folders, most of them those of databases. On some disks that is most of what
// they wait for.

const folder = '/dev/shm'
const neededBytes = 6 * 1024 ** 3

/** The options that a folder is mounted with; none where it is no mount. */
const readMountOptions = (): string[] => {
  const line = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((mount) => mount.split(' ')[1] === folder)
  return line?.split(' ')[3]?.split(',') ?? []
}

/** A folder in memory where the system has one with room for all that tests keep, programs among it; undefined elsewhere. */
export const findMemoryFolder = (): string | undefined => {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= neededBytes && !readMountOptions().includes('noexec') ? folder : undefined
  } catch {
    return undefined
  }
}
