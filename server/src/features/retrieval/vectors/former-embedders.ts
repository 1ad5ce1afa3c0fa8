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

// The models of spaces that Brains still answer by while this node's own model embeds them anew. One that is not there any more,
// or is another by now, is not used: those Brains are searched by words until they are embedded.

export type FormerDeps = {
  db: Db
  clock: Clock
  log: Log
  /** Opens what embeds texts, as it was told; undefined where it is not there. */
  openSource(source: EmbedderSource): Embedder | undefined
}

/** How long one that cannot be used is left alone. */
const retryMilliseconds = 60_000
const maxOpen = 2

type Former = { embedder: Promise<Embedder | undefined>; at: number; isMissing: boolean }

/** What embedded a space. One that was stored before that was told is known where it is the built-in model's. */
const toKnownSource = (space: string, stored: unknown): EmbedderSource | undefined =>
  space === builtInSpace ? { is: 'built-in' } : embedderSource.safeParse(stored).data

/** Whether an embedder makes vectors of a space. One that is away does not. */
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
  /** The one used last is the last. */
  readonly #formers = new Map<string, Former>()

  constructor(deps: FormerDeps) {
    this.#deps = deps
  }

  /** What embeds texts in a space; undefined where nothing does that is here. */
  async find(space: string): Promise<Embedder | undefined> {
    const now = this.#deps.clock.now().getTime()
    const known = this.#formers.get(space)
    this.#formers.delete(space)
    const isOver = known?.isMissing && Math.abs(now - known.at) >= retryMilliseconds
    const former = known && !isOver ? known : this.#open(space, now)
    this.#formers.set(space, former)
    for (const other of [...this.#formers.keys()].slice(0, -maxOpen)) void this.#close(other)
    return former.embedder
  }

  async close(): Promise<void> {
    await Promise.all([...this.#formers.keys()].map((space) => this.#close(space)))
  }

  #open(space: string, at: number): Former {
    const former: Former = { embedder: this.#openKnown(space), at, isMissing: false }
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

  async #openKnown(space: string): Promise<Embedder | undefined> {
    const { db, log, openSource } = this.#deps
    const stored = await selectSource(db, space)
    const source = toKnownSource(space, stored?.source)
    const embedder = source && openSource(source)
    if (embedder && (await canMake(embedder, space, stored?.probe ?? undefined))) return embedder
    await embedder?.close()
    log.info(
      { space, ...source },
      'the former model is not there: what it embedded is found by words until it is embedded anew',
    )
    return undefined
  }

  async #close(space: string): Promise<void> {
    const former = this.#formers.get(space)
    this.#formers.delete(space)
    await (await former?.embedder.catch(() => undefined))?.close()
  }
}
