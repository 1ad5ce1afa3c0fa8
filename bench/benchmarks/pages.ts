import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import { type ServerProcess, startServer } from '../parts/child.ts'
import type { Comparison } from '../parts/comparison.ts'
import { untilReady } from '../parts/fill-brain.ts'
import { fillStream, pageSize, walkPages } from '../parts/fill-stream.ts'
import { makeBatch } from '../parts/invoices.ts'
import { startNoema } from '../parts/noema.ts'
import { createScratchFile } from '../parts/scratch-file.ts'
import { type Answered, createRequests } from '../parts/subject.ts'

const events = 50_000
const batchSize = 1_000

/** Fills the peer with as many events. */
const fillPeer = async ({ port }: ServerProcess): Promise<void> => {
  const body = JSON.stringify(makeBatch(batchSize))
  for (let written = 0; written < events; written += batchSize) {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`the peer was not filled: ${response.status}`)
  }
}

type Subject = { name: string; server: ServerProcess; paths: string[]; headers?: Record<string, string> }

const createReads = (bench: Bench, { name, server, paths, headers = {} }: Subject, clients: number): Answered => {
  const order = { ports: [server.port], clients, method: 'GET', headers, paths, bodies: [] }
  const readCpu = () => ({ server: server.cpuMilliseconds() })
  return createRequests(bench, name, { unit: 'pages', order, readCpu })
}

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('pages')
  const noema = await startNoema(database, bench.profileFolder, { NOEMA_EMBEDDINGS: 'off' })
  const { file, remove } = await createScratchFile('pages.db')
  const sqlite = await startServer({ script: 'bench/peers/sqlite-server.ts', args: [file] })
  const servers = [noema, sqlite]
  try {
    const brainId = await fillStream(noema, database, { brain: 'pages', events })
    await fillPeer(sqlite)
    await untilReady(noema, { name: 'pages', mode: 'lexical' })
    const paths = await walkPages(noema, { brain: 'pages', events })
    const startFloor = async (joinedIn: string) => {
      const args = [database.url, String(brainId), joinedIn]
      const server = await startServer({ script: 'bench/floors/pages-server.ts', args })
      servers.push(server)
      return server
    }
    const positions = paths.map((_, index) => `/?after=${index * pageSize}`)
    const headers = { authorization: `Bearer ${noema.key}` }
    const subjects: Subject[] = [
      { name: 'Noema', server: noema, paths, headers },
      { name: 'rows', server: await startFloor('node'), paths: positions },
      { name: 'joined in PostgreSQL', server: await startFloor('postgres'), paths: positions },
      { name: 'SQLite', server: sqlite, paths: positions },
    ]
    const comparisons: Comparison[] = []
    for (const clients of [8, 1]) {
      const reads = subjects.map((subject) => createReads(bench, subject, clients))
      await interleave(
        bench.effort.repetitions,
        reads.map(({ turn }) => turn),
      )
      const [mine, floor, joined, peer] = reads
      if (!mine || !floor || !joined || !peer) return []
      const who = clients === 1 ? '1 client' : `${clients} clients`
      const beside = { floor: floor.perSecond, peer: peer.perSecond, target: { min: 0.6 } }
      comparisons.push(
        { what: `${who}: pages/s`, noema: mine.perSecond, ...beside },
        { what: `${who}: pages/s, floor joins in PostgreSQL`, noema: mine.perSecond, floor: joined.perSecond },
        { what: `${who}: server CPU a page`, noema: mine.cpu, floor: floor.cpu, peer: peer.cpu },
      )
    }
    return comparisons
  } finally {
    for (const server of servers) await server.stop()
    await remove()
  }
}

export const pages: Benchmark = {
  name: 'pages',
  about: `Pages of ${pageSize} events read from a Brain that has ${events.toLocaleString('en')}, all of them indexed.`,
  floor:
    'node:http and pg: the same rows by the same range of positions, as text, joined and sent. No keys, no cursors, no look at the Brain. The second floor lets PostgreSQL join the text.',
  peer: 'SQLite behind node:http, in the same process: as many of the same events by position, without a way over the network to a database.',
  run,
}
