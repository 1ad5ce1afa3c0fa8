import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { Topic, TopicChannel } from '../shared/concurrency/topics.ts'
import type { Log } from '../shared/log.ts'
import { toConnecting } from './connecting.ts'
import type { Db } from './database.ts'
import type { DatabaseAddress } from './database-address.ts'
import type { Primary } from './primary.ts'

// Topics reach other nodes by LISTEN and NOTIFY. Brains have a separate channel for their bare numbers: every version
// understands these, so nodes of two versions wake each other. The connection that listens also sends: so a node recognizes
// its own notifications, whose topics it has acted on already, and ignores them.

type Channel = { name: string; kind: '' | `${string}:`; separator: string }

const channels: readonly [Channel, Channel] = [
  { name: 'noema_wakes', kind: 'brain:', separator: ',' },
  { name: 'noema_topics', kind: '', separator: '\n' },
]

/** PostgreSQL's limit of one notification, less some bytes. */
const maxPayloadBytes = 7_900
const reconnectMilliseconds = 1_000
/** A connection that only listens does not notice a lost server, or one that accepts no more writes. */
const pollMilliseconds = 10_000

/** Joins names to as few texts as can each be sent at once. A name that cannot be sent at all is left out. */
export const toPayloads = (names: readonly string[], separator: string): string[] => {
  const payloads: string[] = []
  for (const name of names.filter((one) => Buffer.byteLength(one) <= maxPayloadBytes)) {
    const joined = `${payloads.at(-1) ?? ''}${separator}${name}`
    if (payloads.length > 0 && Buffer.byteLength(joined) <= maxPayloadBytes) payloads[payloads.length - 1] = joined
    else payloads.push(name)
  }
  return payloads
}

const toMessages = (topics: readonly Topic[]): { channel: string; payload: string }[] => {
  const ofBrains = topics.filter((topic) => topic.startsWith(channels[0].kind))
  const others = topics.filter((topic) => !topic.startsWith(channels[0].kind))
  const toMessage = (name: string) => (payload: string) => ({ channel: name, payload })
  const numbers = ofBrains.map((topic) => topic.slice(channels[0].kind.length))
  return [
    ...toPayloads(numbers, channels[0].separator).map(toMessage(channels[0].name)),
    ...toPayloads(others, channels[1].separator).map(toMessage(channels[1].name)),
  ]
}

/** The topics of a notification. */
export const toTopics = (name: string, payload: string | undefined): Topic[] => {
  const channel = channels.find((one) => one.name === name)
  if (!channel || !payload) return []
  return payload.split(channel.separator).map((text) => `${channel.kind}${text}` as Topic)
}

type InTurn = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>

/** Runs the statements of one connection one after another. */
const createTurn = (): InTurn => {
  let last: Promise<unknown> = Promise.resolve()
  return (ask) => {
    const answer = last.then(ask, ask)
    last = answer
    return answer
  }
}

/** Closes a connection that does not answer, or that leads to a standby or a former primary, which send no notifications. */
const pollAgain = (client: pg.Client, primary: Primary | undefined, inTurn: InTurn): void => {
  const poll = async () => {
    await primary?.askAgain()
    const found = await primary?.find()
    if (found && (found.host !== client.host || found.port !== client.port))
      throw new Error('Another host takes writes.')
    const ask = () => client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
    const { rows } = await inTurn(ask)
    if (rows[0]?.standby) throw new Error('It listens on a standby.')
  }
  const timer = setInterval(() => poll().catch(() => client.connection.stream.destroy()), pollMilliseconds).unref()
  client.once('end', () => clearInterval(timer))
}

// A notification takes a transaction id, whose commit would wait for a sync of its own; losing one costs nothing.
const notify = `select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
  from json_to_recordset($1::json) as message (channel text, payload text)`

/** Listens for what other sessions send. */
const listen = async (client: pg.Client, receive: (topic: Topic) => void): Promise<void> => {
  const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id')
  client.on('notification', ({ channel, payload, processId }) => {
    if (processId === rows[0]?.id) return
    for (const topic of toTopics(channel, payload)) receive(topic)
  })
  for (const { name } of channels) await client.query(`listen ${name}`)
}

/** Keeps one connection that listens, and makes another whenever it is lost. */
const createListener = (address: DatabaseAddress, log: Log, receive: (topic: Topic) => void) => {
  const { config, Client, primary } = toConnecting(address)
  let client: pg.Client | undefined
  let inTurn = createTurn()
  let isListening = false
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const reconnect = () => {
    isListening = false
    if (isClosed || timer) return
    timer = setTimeout(() => {
      timer = undefined
      void connect()
    }, reconnectMilliseconds)
  }
  const connect = async () => {
    const next = new Client({
      ...config,
      connectionTimeoutMillis: pollMilliseconds,
      query_timeout: pollMilliseconds,
      application_name: 'noema',
    })
    client = next
    inTurn = createTurn()
    next.on('error', (error) => log.debug({ error: error.message }, 'the connection that listens for topics was lost'))
    next.on('end', reconnect)
    try {
      await next.connect()
      await listen(next, receive)
      isListening = true
      pollAgain(next, primary, inTurn)
    } catch (error) {
      log.debug({ error: String(error) }, 'the connection that listens for topics could not be made')
      await next.end().catch(() => undefined)
      reconnect()
    }
  }
  void connect()
  return {
    /** Sends messages; undefined while there is no connection. */
    send: (messages: string): Promise<unknown> | undefined =>
      isListening ? inTurn(async () => client?.query({ name: 'notify', text: notify, values: [messages] })) : undefined,
    stop: async () => {
      isClosed = true
      isListening = false
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}

/** Opens the channel of topics between the nodes of a database. */
export const openTopicChannel = (db: Db, address: DatabaseAddress, log: Log): TopicChannel => {
  let listener: ReturnType<typeof createListener> | undefined
  return {
    send: async (topics) => {
      const messages = JSON.stringify(toMessages(topics))
      try {
        await (listener?.send(messages) ?? db.executeQuery(CompiledQuery.raw(notify, [messages])))
      } catch (error) {
        log.debug(
          { error: String(error) },
          'other nodes could not be notified of topics; they will check by themselves',
        )
      }
    },
    listen: (receive) => {
      listener = createListener(address, log, receive)
    },
    close: async () => listener?.stop(),
  }
}
