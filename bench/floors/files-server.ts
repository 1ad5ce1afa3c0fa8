import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

// The floor of files: node:http that sends bytes from its memory in pieces of a chunk, and takes bytes and drops them. It checks,
// hashes and stores nothing. Argument: the bytes of a file.

const bytes = Number(process.argv[2])
const pieceBytes = 256 * 1024
const piece = randomBytes(pieceBytes)

function* toPieces() {
  for (let left = bytes; left > 0; left -= pieceBytes) yield piece.subarray(0, Math.min(pieceBytes, left))
}

const server = createServer(async (request, response) => {
  if (request.method === 'POST') {
    for await (const _piece of request);
    response.end('{}')
    return
  }
  response.writeHead(200, { 'content-length': bytes })
  await pipeline(Readable.from(toPieces()), response).catch(() => {})
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${port}/` })}\n`)
})
process.once('SIGTERM', () => process.exit())
