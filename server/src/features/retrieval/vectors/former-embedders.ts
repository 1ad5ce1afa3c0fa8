import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import { builtInSpace } from '../embedding/built-in-model.ts'
import {
  type Embedder,
  type EmbedderSource,
  EmbedderUnavailable,
  embedderSource,
  TextsRefused,
} from '../embedding/types.ts'
import { isSameModel } from './probe.ts'
import { selectSource } from './space-queries.ts'

// The models of spaces that Brains still answer by while this node's own model embeds them again. A model that is gone, or was
// replaced by another, is not used: those Brains are searched by words until they are embedded.

export type FormerDeps = {
  db: Db
  clock: Clock
  log: Log
  /** Opens the embedder that a source describes; undefined where this node does not have it. */
  openSource(source: EmbedderSource): Embedder | undefined
}

/** The time after which a missing embedder is tried again. */
const retryMilliseconds = 60_000
const maxOpen = 2

type Former = { embedder: Promise<Embedder | undefined>; at: number; isMissing: boolean }

/** The source of a space. Old rows do not store it; the built-in model's is known by its name. */
const toSource = (space: string, stored: unknown): EmbedderSource | undefined =>
  space === builtInSpace ? { is: 'built-in' } : embedderSource.safeParse(stored).data

/** Checks whether an embedder makes vectors of a space. An unavailable one does not. */
const canMake = async (embedder: Embedder, space: string, probe: Buffer | undefined): Promise<boolean> => {
  try {
    return (await embedder.space()) === space && (!probe || (await isSameModel(embedder, probe)))
  } catch (error) {
    if (error instanceof EmbedderUnavailable || error instanceof TextsRefused) return false
    throw error
  }
}

export class FormerEmbedders {
  readonly #deps: FormerDeps
  readonly #closing = new Set<Promise<void>>()
  readonly #formers = new LRUCache<string, Former>({ max: maxOpen, dispose: (former) => this.#close(former) })

  constructor(deps: FormerDeps) {
    this.#deps = deps
  }

  /** The embedder of a space; undefined where this node has none. */
  async find(space: string): Promise<Embedder | undefined> {
    const now = this.#deps.clock.now().getTime()
    const cached = this.#formers.get(space)
    const isOver = cached?.isMissing && Math.abs(now - cached.at) >= retryMilliseconds
    const former = cached && !isOver ? cached : this.#open(space, now)
    if (former !== cached) this.#formers.set(space, former)
    return former.embedder
  }

  async close(): Promise<void> {
    this.#formers.clear()
    await Promise.all(this.#closing)
  }

  #open(space: string, at: number): Former {
    const former: Former = { embedder: this.#openStored(space), at, isMissing: false }
    former.embedder.then(
      (embedder) => {
        former.isMissing = embedder === undefined
      },
      () => {
        former.isMissing = true
      },
    )
    return former
  }

  async #openStored(space: string): Promise<Embedder | undefined> {
    const { db, log, openSource } = this.#deps
    const stored = await selectSource(db, space)
    const source = toSource(space, stored?.source)
    const embedder = source && openSource(source)
    if (embedder && (await canMake(embedder, space, stored?.probe ?? undefined))) return embedder
    await embedder?.close()
    log.info(
      { space, ...source },
      'the former model is not available: passages that it embedded are found by words until they are embedded again',
    )
    return undefined
  }

  #close({ embedder }: Former): void {
    const closed = embedder
      .then(
        (opened) => opened?.close(),
        () => undefined,
      )
      .finally(() => this.#closing.delete(closed))
    this.#closing.add(closed)
  }
}
