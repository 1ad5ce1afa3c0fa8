// Reusable memory for large bodies on their way to the worker thread. Ordinary memory counts for the main thread's garbage
// collector: a few large bodies a second made it run several full collections a second, on processors that everyone else needs.
// Memory that threads share does not count, and it needs neither copying nor moving.

/** The smallest piece, and how much unused memory is kept for how long. */
const minPieceBytes = 256 * 1024
const maxFreeBytes = 64 * 1024 * 1024
const maxIdleMilliseconds = 30_000

/** Memory for one body. Give it back when no one reads it any more; otherwise it is garbage collected. */
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
