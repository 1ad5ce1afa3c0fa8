import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { programEnvironment } from './binaries.ts'
import { type Cluster, databaseName, databaseUser } from './cluster.ts'
import { toErrorCode } from './file-errors.ts'
import { removeLeftovers } from './leftovers.ts'
import { runAs } from './run-as.ts'

/**
 * Creates the database files in a folder next to the final one and renames it, complete and synced, so that a crash at any
 * moment leaves either a complete database or none.
 */
export async function createDatabase(cluster: Cluster): Promise<void> {
  const { account, dataPath } = cluster
  const prefix = `${basename(dataPath)}.new-`
  await removeLeftovers(dirname(dataPath), prefix)
  const unfinished = join(dirname(dataPath), `${prefix}${process.pid}-${randomBytes(4).toString('hex')}`)
  await mkdir(unfinished, { mode: 0o700 })
  try {
    if (account) await chown(unfinished, account.uid, account.gid)
    await fillFolder(cluster, unfinished)
    await rename(unfinished, dataPath)
    await syncFolder(dirname(dataPath))
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Another Noema that started at the same moment has put its database there; the owner's lock decides between the two.
    if (toErrorCode(error) !== 'ENOTEMPTY' && toErrorCode(error) !== 'EEXIST') throw error
  }
}

async function fillFolder(cluster: Cluster, folder: string): Promise<void> {
  const { initdb, postgres } = cluster.binaries
  await initialise(cluster, folder)
  const alone = ['--single', '-D', folder, '-c', 'fsync=off', 'postgres']
  await runProgram(cluster, postgres, { arguments: alone, input: `create database ${databaseName}\n` })
  // One pass over the finished files instead of a sync at every step.
  if (cluster.settings.fsync !== 'off') await runProgram(cluster, initdb, { arguments: ['--sync-only', '-D', folder] })
}

// Sort order and letters come from PostgreSQL's own tables, the same on every machine. Only the full text parser asks the
// system: with "C" it treats dashes and quotes of other languages as letters, so that is the last resort.
const characterTypes = ['C.UTF-8', 'en_US.UTF-8', 'C']

async function initialise(cluster: Cluster, folder: string): Promise<void> {
  for (const characterType of characterTypes) {
    const given = ['-D', folder, '-U', databaseUser, '--encoding=UTF8', '--data-checksums', '--no-sync']
    const locale = [
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      `--lc-ctype=${characterType}`,
    ]
    const access = ['--auth-local=trust', '--auth-host=reject', '--no-instructions']
    try {
      return await runProgram(cluster, cluster.binaries.initdb, { arguments: [...given, ...locale, ...access] })
    } catch (error) {
      const isUnknownLocale = error instanceof Error && error.message.includes('invalid locale')
      if (!isUnknownLocale || characterType === 'C') throw error
      cluster.log.warn({ characterType }, 'This machine lacks a locale that PostgreSQL would use; trying the next.')
    }
  }
}

function runProgram(cluster: Cluster, program: string, call: { arguments: string[]; input?: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, call.arguments, { ...runAs(cluster.account), cwd: '/', env: programEnvironment })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk).slice(-4000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.stdin.on('error', () => {})
    child.stdin.end(call.input ?? '')
    child.on('error', reject)
    child.on('close', (code, signal) => {
      // In single-user mode the server reports a failed statement and still exits with 0.
      if (code === 0 && !/^.*(ERROR|FATAL|PANIC):/m.test(output)) resolve()
      else reject(new Error(`${basename(program)} failed (${signal ?? `code ${code}`}): ${output.trim()}`))
    })
  })
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
