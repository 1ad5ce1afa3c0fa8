import { spawn } from 'node:child_process'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { programEnvironment } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import type { Postmaster } from './postmaster-file.ts'
import { hasEnded, readCommandLine, signalProcess } from './processes.ts'
import { runAs } from './run-as.ts'
import { socketPort } from './socket-folder.ts'

/** A PostgreSQL that this process has started. */
export type StartedPostmaster = Postmaster & {
  /** Returns its log output so far. */
  output(): Promise<string>
}

const maxLogBytes = 10_000_000
const stopMilliseconds = 20_000
const quitMilliseconds = 5_000

// Durable as PostgreSQL is by default, and small enough for a machine of two cores that runs other things too.
const ourSettings: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  wal_compression: 'on',
  max_wal_size: '1GB',
  checkpoint_timeout: '5min',
  // Our statements are short; compiling one costs more than it saves.
  jit: 'off',
  log_min_messages: 'warning',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

function toArguments(cluster: Cluster): string[] {
  const settings = {
    ...ourSettings,
    port: String(socketPort),
    // A list of names: unquoted, a comma or a space in the path would divide it.
    unix_socket_directories: `"${cluster.socketFolder.replaceAll('"', '""')}"`,
    ...cluster.settings,
  }
  const pairs = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  return ['-D', cluster.dataPath, ...pairs.flatMap((pair) => ['-c', pair])]
}

/** The command line that identifies a server with these programs and settings. */
export const expectedCommandLine = (cluster: Cluster): string =>
  [cluster.binaries.postgres, ...toArguments(cluster)].join(' ')

/** Starts PostgreSQL; that it runs does not mean yet that it accepts connections. */
export async function startPostmaster(cluster: Cluster): Promise<StartedPostmaster> {
  const log = await openLog(cluster.logPath)
  try {
    const before = (await log.stat()).size
    const child = spawn(cluster.binaries.postgres, toArguments(cluster), {
      ...runAs(cluster.account),
      cwd: '/',
      env: programEnvironment,
      // Its own session: Ctrl-C in the terminal must not end it under a service that is still finishing its work.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    child.unref()
    return {
      pid: child.pid ?? 0,
      commandLine: expectedCommandLine(cluster),
      host: cluster.socketFolder,
      port: socketPort,
      output: async () => (await readFile(cluster.logPath)).subarray(before).toString('utf8'),
    }
  } finally {
    await log.close()
  }
}

async function openLog(path: string) {
  const found = await stat(path).catch(() => undefined)
  if (found && found.size > maxLogBytes) await rename(path, `${path}.1`)
  return open(path, 'a', 0o600)
}

/** Stops the server: by a fast shutdown, which loses nothing, and by force only if that takes too long. */
export async function stopPostmaster(postmaster: Postmaster): Promise<void> {
  // Its pid may be another program's by now.
  if ((await readCommandLine(postmaster.pid)) !== postmaster.commandLine) return
  signalProcess(postmaster.pid, 'SIGINT')
  if (await hasEnded(postmaster.pid, stopMilliseconds)) return
  signalProcess(postmaster.pid, 'SIGQUIT')
  await hasEnded(postmaster.pid, quitMilliseconds)
}
