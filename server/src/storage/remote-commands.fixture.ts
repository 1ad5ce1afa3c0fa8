import pg from 'pg'

// The commands that the coordinator of a Citus cluster sends to other servers, as the statements of this process cause them.

/** A command, the server that it went to, and the numbers of the shards that it names. */
export type RemoteCommand = { text: string; server: string; shards: number[] }

/** Has a database report the commands of the connections that are made from now on. */
export const reportCommands = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool.query<{ name: string }>('select current_database() as name')
  for (const setting of ["citus.log_remote_commands = 'on'", "client_min_messages = 'log'"])
    await pool.query(`alter database ${rows[0]?.name} set ${setting}`)
}

/** Reports the commands of this process's connections until the returned function is called. */
export const listenToCommands = (notify: (command: RemoteCommand) => void): (() => void) => {
  const { emit } = pg.Client.prototype
  pg.Client.prototype.emit = function listening(name: string | symbol, ...given: unknown[]) {
    const { message = '', detail = '' } = name === 'notice' ? (given[0] as { message?: string; detail?: string }) : {}
    if (message.startsWith('issuing ')) {
      const text = message.slice('issuing '.length)
      const shards = [...text.matchAll(/\bpublic\.\w+?_(\d{6,})\b/g)].map(([, number]) => Number(number))
      notify({ text, server: /on server \S+@(\S+)/.exec(detail)?.[1] ?? '', shards: [...new Set(shards)] })
    }
    return emit.call(this, name, ...given)
  }
  return () => {
    pg.Client.prototype.emit = emit
  }
}
