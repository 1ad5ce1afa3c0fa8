// Memory for large bodies on their way to the thread that answers them, used again and again. Memory of the usual sort is part of
// what the main thread's collector of garbage goes by: a few bodies a second had it collect everything several times a second,
// on the processors that everybody else waits for. Memory that threads share is not, and it needs neither copying nor moving.

/** The smallest piece, and what is kept of pieces that nobody uses. */
const minPieceBytes = 256 * 1024
const maxFreeBytes = 64 * 1024 * 1024
const maxIdleMilliseconds = 30_000

/** Memory for one body. It is given back when nobody reads it any more, and else left to be collected. */
export type BodyPiece = { readonly bytes: Buffer; giveBack(): void }

export type BodyMemory = { take(bytes: number): BodyPiece }

/** The next power of two: pieces of few sizes fit many bodies. */
const toPieceBytes = (bytes: number): number => 2 ** Math.ceil(Math.log2(Math.max(bytes, minPieceBytes)))

export const createBodyMemory = (): BodyMemory => {
  let free: SharedArrayBuffer[] = []
  let idle: NodeJS.Timeout | undefined
  const find = (bytes: number): SharedArrayBuffer => {
    const at = free.findIndex(({ byteLength }) => byteLength === bytes)
    return at < 0 ? new SharedArrayBuffer(bytes) : (free.splice(at, 1)[0] as SharedArrayBuffer)
  }
  const giveBack = (piece: SharedArrayBuffer): void => {
    const freeBytes = free.reduce((sum, { byteLength }) => sum + byteLength, piece.byteLength)
    if (freeBytes > maxFreeBytes) return
    free.push(piece)
    clearTimeout(idle)
    idle = setTimeout(() => {
      free = []
    }, maxIdleMilliseconds).unref()
  }
  return {
    take: (bytes) => {
      let piece: SharedArrayBuffer | undefined = find(toPieceBytes(bytes))
      return {
        bytes: Buffer.from(piece, 0, bytes),
        giveBack: () => {
          if (piece) giveBack(piece)
          piece = undefined
        },
      }
    },
  }
}
