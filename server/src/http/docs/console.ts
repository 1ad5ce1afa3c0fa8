import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding, type Encoding } from '../request/compression.ts'

// Serves the web console. Its files are read once, at the start, and each has a route of its own: no path of a request
// ever becomes a path of the disk, and whatever is not among them stays the 404 of the API.

/** Where the console's build puts its files. */
export const consoleFolder = fileURLToPath(new URL('../../../../console/dist/', import.meta.url))

/** The pages that the console has, `/brains/$handle` for each Brain's: its build writes them down. */
const readPages = (folder: string): string[] => {
  const path = join(folder, 'pages.json')
  if (!existsSync(path)) return []
  return (JSON.parse(readFileSync(path, 'utf8')) as string[]).map((page) => page.replaceAll('$', ':'))
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** What pages of this service may load and do. */
const policy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ')

const safety = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  // A browser sends no Origin with a GET to its own site, so the session's origin is validated by the Referer (D-11b).
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

const always = 'public, max-age=31536000, immutable'
const ask = 'no-cache'

/** A file's bytes, plain or encoded. Each way of sending it is an entity of its own. */
type Body = { body: Buffer; etag: string }
export type File = Body & { encoded: ReadonlyMap<Encoding, Body>; headers: Readonly<Record<string, string>> }

const toBody = (body: Buffer): Body => ({
  body,
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
})

export const toFile = (
  body: Buffer,
  contentType: string,
  cacheControl: string,
  encoded: File['encoded'] = new Map(),
): File => ({
  ...toBody(body),
  encoded,
  headers: {
    ...safety,
    'content-type': contentType,
    'cache-control': cacheControl,
    ...(encoded.size > 0 ? { vary: 'accept-encoding' } : {}),
  },
})

/** The endings of the files that the build compressed. */
const endings = { br: '.br', gzip: '.gz' } as const satisfies Record<Encoding, string>

/** Compressed files stand for their own, and what the build says of itself is not for browsers. */
const notServed: ReadonlySet<string> = new Set([...Object.values(endings), '.json'])

/** What the build wrote beside a file: the file compressed. */
const readEncoded = (path: string): File['encoded'] =>
  new Map(
    Object.entries(endings).flatMap(([encoding, ending]) =>
      existsSync(path + ending) ? [[encoding as Encoding, toBody(readFileSync(path + ending))] as const] : [],
    ),
  )

/** The files of the build by their paths in URLs; none when it was never made. */
const readFiles = (folder: string): ReadonlyMap<string, File> => {
  const files = new Map<string, File>()
  for (const entry of readEntries(folder)) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || notServed.has(extname(path))) continue
    const urlPath = `/${path.slice(join(folder, sep).length).replaceAll(sep, '/')}`
    const contentType = contentTypes[extname(entry.name)] ?? 'application/octet-stream'
    // Only what carries a hash of its content in its name may be kept for ever.
    const cacheControl = urlPath.startsWith('/assets/') ? always : ask
    files.set(urlPath, toFile(readFileSync(path), contentType, cacheControl, readEncoded(path)))
  }
  return files
}

const readEntries = (folder: string) => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

const hasIt = ({ headers }: FastifyRequest, etag: string): boolean => {
  const given = headers['if-none-match']
  if (given === undefined) return false
  const known = given.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}

export const sendFile = (request: FastifyRequest, reply: FastifyReply, file: File) => {
  const encoding = chooseEncoding(request.headers['accept-encoding'], [...file.encoded.keys()])
  const { body, etag } = (encoding && file.encoded.get(encoding)) ?? file
  reply.headers({ ...file.headers, etag })
  if (hasIt(request, etag)) return reply.code(304).send()
  return (encoding ? reply.header('content-encoding', encoding) : reply).send(body)
}

/** The page, whose build names its files from `../`: it is served at many paths, so it names them from the path of the service. */
const toIndex = (built: File, basePath: string): File => {
  const body = Buffer.from(built.body.toString().replaceAll('="../', `="${basePath}/`))
  const encoded = new Map<Encoding, Body>([
    ['br', toBody(brotliCompressSync(body))],
    ['gzip', toBody(gzipSync(body))],
  ])
  return toFile(body, contentTypes['.html'] ?? '', ask, encoded)
}

type ConsoleSettings = { folder: string; basePath: string }

/** Serves the console from `folder` and keeps robots away. Without a build, `/` tells how to make one. */
export const registerConsole = (app: FastifyInstance, { folder, basePath }: ConsoleSettings): void => {
  const serve = (url: string, file: File) =>
    app.route({ method: ['GET', 'HEAD'], url, handler: async (request, reply) => sendFile(request, reply, file) })

  serve('/robots.txt', toFile(Buffer.from('User-agent: *\nDisallow: /\n'), 'text/plain; charset=utf-8', ask))
  const files = readFiles(folder)
  const built = files.get('/index.html')
  const pages = readPages(folder)
  if (!built || pages.length === 0) {
    const advice = 'The web console is not built. Run: npm run build -w @noema/console, and start the service again.\n'
    serve('/', toFile(Buffer.from(advice), 'text/plain; charset=utf-8', ask))
    return
  }
  const index = toIndex(built, basePath)
  for (const page of pages) serve(page, index)
  for (const [path, file] of files) if (file !== built) serve(path, file)
}
