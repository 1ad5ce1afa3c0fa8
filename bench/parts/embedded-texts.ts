import { createHash } from 'node:crypto'
import { glob, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEmbedder } from '../../server/src/features/retrieval/embedding/embedding.ts'
import { quantize } from '../../server/src/features/retrieval/vectors/vector-index.ts'
import { createLog } from '../../server/src/shared/log.ts'

/** Vectors of 8 bits, one after the other, as the service stores them. */
export type EmbeddedTexts = { dimensions: number; count: number; vectors: Int8Array }

const dimensions = 384
const pieceLength = 320
const textsAtOnce = 256
/** Larger files are bundles, which say little. */
const maxBytes = 200_000

const toOrder = (text: string): string => createHash('sha1').update(text).digest('hex')

/** Pieces of the documentation and code that came with the packages, each once, in no order. */
export const gatherPieces = async (root: string, limit: number): Promise<string[]> => {
  const pieces = new Set<string>()
  for (const kind of ['md', 'd.ts', 'js'])
    for await (const path of glob(`node_modules/**/*.${kind}`, { cwd: root })) {
      const file = join(root, path)
      const about = await stat(file)
      if (!about.isFile() || about.size > maxBytes || pieces.size >= limit) continue
      const text = await readFile(file, 'utf8')
      for (let at = 0; at < text.length; at += pieceLength) {
        const piece = text.slice(at, at + pieceLength).trim()
        if (piece.length > pieceLength / 2) pieces.add(piece)
      }
    }
  const ordered = [...pieces].slice(0, limit).map((piece) => ({ piece, order: toOrder(piece) }))
  return ordered.sort((one, other) => (one.order < other.order ? -1 : 1)).map(({ piece }) => piece)
}

/** The vectors of so many texts by the model that comes along: made once, which takes minutes, and kept in a file. */
export const embeddedTexts = async (root: string, file: string, limit: number): Promise<EmbeddedTexts> => {
  const kept = await readFile(file).catch(() => undefined)
  if (kept) {
    const count = Math.min(limit, kept.length / dimensions)
    return { dimensions, count, vectors: new Int8Array(kept.buffer, kept.byteOffset, count * dimensions) }
  }
  const embedder = createEmbedder('local', { clock: { now: () => new Date() }, log: createLog('warn') })
  if (!embedder) throw new Error('there is no model')
  const pieces = await gatherPieces(root, limit)
  const vectors = new Int8Array(pieces.length * dimensions)
  for (let at = 0; at < pieces.length; at += textsAtOnce) {
    const embedded = await embedder.embed(pieces.slice(at, at + textsAtOnce), 'passage')
    for (const [place, vector] of embedded.vectors.entries()) vectors.set(quantize(vector), (at + place) * dimensions)
  }
  await embedder.close()
  await writeFile(file, vectors)
  return { dimensions, count: pieces.length, vectors }
}
