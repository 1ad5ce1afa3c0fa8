import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { Encoding } from '../request/compression.ts'
import { cacheForever, revalidate, type StaticFile, sendFile, toBody, toStaticFile } from '../request/static-files.ts'

// Serves the web console. Its files are read once at startup, and each has its own route, so a request path never becomes a path on
// disk. Any other path is a 404: a page for browsers, an error of the API for programs.

/** The folder of the console's build. */
export const consoleFolder = fileURLToPath(new URL('../../../../console/dist/', import.meta.url))

/** The pages of the console, such as `/brains/$handle`, which its build lists. */
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

/** The extensions of compressed files. */
const extensions = { br: '.br', gzip: '.gz' } as const satisfies Record<Encoding, string>

/** Compressed files have no path of their own, and the build's JSON is not for browsers. */
const notServed: ReadonlySet<string> = new Set([...Object.values(extensions), '.json'])

/** The compressed versions that the build wrote next to a file. */
const readEncoded = (path: string): StaticFile['encoded'] =>
  new Map(
    Object.entries(extensions).flatMap(([encoding, extension]) =>
      existsSync(path + extension) ? [[encoding as Encoding, toBody(readFileSync(path + extension))] as const] : [],
    ),
  )

/** The files of the build by URL path; empty without a build. */
const readFiles = (folder: string): ReadonlyMap<string, StaticFile> => {
  const files = new Map<string, StaticFile>()
  for (const entry of readEntries(folder)) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || notServed.has(extname(path))) continue
    const urlPath = `/${path.slice(join(folder, sep).length).replaceAll(sep, '/')}`
    const contentType = contentTypes[extname(entry.name)] ?? 'application/octet-stream'
    // Only names with a hash of the content never change.
    const cacheControl = urlPath.startsWith('/assets/') ? cacheForever : revalidate
    files.set(urlPath, toStaticFile(readFileSync(path), contentType, cacheControl, readEncoded(path)))
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

/** The page. Its build refers to files from `./`; it is served at many paths, so it must refer to them from the service's path. */
const toIndex = (built: StaticFile, basePath: string): string =>
  built.body.toString().replaceAll('="./', `="${basePath}/`)

/** The page for a path that does not exist. The console replaces its text, and people without scripts read it. */
const toNotFound = (index: string, basePath: string): string =>
  index
    .replace(/<title>[^<]*<\/title>/, '<title>Page not found · Noema</title>')
    .replace(
      '<div id="root"></div>',
      '<div id="root"><main class="not-found"><h1>Page not found</h1>' +
        '<p>The address may be mistyped, or the page has moved.</p>' +
        `<p><a href="${basePath}/">Go to the home page</a></p></main></div>`,
    )

const toPage = (html: string): StaticFile => {
  const body = Buffer.from(html)
  const encoded: StaticFile['encoded'] = new Map([
    ['br', toBody(brotliCompressSync(body))],
    ['gzip', toBody(gzipSync(body))],
  ])
  return toStaticFile(body, contentTypes['.html'] ?? '', revalidate, encoded)
}

type ConsoleSettings = { folder: string; basePath: string }

/**
 * Serves the console from `folder` and keeps robots away. Without a build, `/` says how to make one. Returns the page for paths that
 * do not exist, if there is a build.
 */
export const registerConsole = (
  app: FastifyInstance,
  { folder, basePath }: ConsoleSettings,
): StaticFile | undefined => {
  const serve = (url: string, file: StaticFile) =>
    app.route({ method: ['GET', 'HEAD'], url, handler: async (request, reply) => sendFile(request, reply, file) })

  serve(
    '/robots.txt',
    toStaticFile(Buffer.from('User-agent: *\nDisallow: /\n'), 'text/plain; charset=utf-8', revalidate),
  )
  const files = readFiles(folder)
  const built = files.get('/index.html')
  const pages = readPages(folder)
  if (!built || pages.length === 0) {
    const advice = 'The web console is not built. Run: npm run build -w @noema/console, and start the service again.\n'
    serve('/', toStaticFile(Buffer.from(advice), 'text/plain; charset=utf-8', revalidate))
    return undefined
  }
  const html = toIndex(built, basePath)
  const index = toPage(html)
  for (const page of pages) serve(page, index)
  for (const [path, file] of files) if (file !== built) serve(path, file)
  return toPage(toNotFound(html, basePath))
}
