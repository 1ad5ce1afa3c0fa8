import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addVary, type Encoding } from '../request/compression.ts'
import { cacheForever, revalidate, type StaticFile, sendFile, toBody, toStaticFile } from '../request/static-files.ts'

// Serves the web console. Its files are read once in a process, and a request looks its path up among them, so it never becomes a
// path on disk. Any other path is a 404: a page for browsers, an error of the API for programs.

/** The folder of the console's build. */
export const consoleFolder = fileURLToPath(new URL('../../../../console/dist/', import.meta.url))

/** The build's files with a hash of their content in their names, all in one folder. */
const assetsPath = '/assets/'

/** The pages of the console by their routes, each with its files behind the sign-in, and the frame until its content is known. */
type Pages = { opening: string; files: [route: string, files: string[]][] }

/** The pages, such as `/brains/$handle`, which the build lists. */
const readPages = (folder: string): Pages | undefined => {
  const path = join(folder, 'pages.json')
  if (!existsSync(path)) return undefined
  const listed = JSON.parse(readFileSync(path, 'utf8')) as { opening: string; files: Record<string, string[]> }
  const files = Object.entries(listed.files).map(([page, names]): [string, string[]] => [
    page.replaceAll('$', ':'),
    names,
  ])
  return { opening: listed.opening, files }
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
    const cacheControl = urlPath.startsWith(assetsPath) ? cacheForever : revalidate
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

type SignedIn = { opening: string; files: readonly string[]; basePath: string }

/** Calls that every page behind the sign-in begins with. */
const firstCalls = ['/api/auth/get-session', '/v1/whoami']

/** The page for a browser with a session: it has the frame and names what it will ask for, so that all of it loads at once. */
const toSignedIn = (index: string, { opening, files, basePath }: SignedIn): string => {
  const links = files.map((file) => {
    const kind = file.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload" fetchpriority="low"'
    return `<link ${kind} crossorigin href="${basePath}/${file}">`
  })
  const calls = firstCalls.map((path) => `<link rel="preload" as="fetch" crossorigin href="${basePath}${path}">`)
  return index
    .replace('<html ', '<html data-session ')
    .replace('<script ', `${calls.join('')}<script `)
    .replace('</head>', `${links.join('')}</head>`)
    .replace('<div id="root">', `<div id="root">${opening}`)
}

/** True if a browser has a session, which may have ended. */
const hasSession = ({ headers }: FastifyRequest): boolean => headers.cookie?.includes('noema.session_token=') ?? false

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

/** Keeps what a function returned, by the object that it was given. */
const keepBy = <Given extends object, Made>(make: (given: Given) => Made) => {
  const known = new WeakMap<Given, Made>()
  return (given: Given): Made => {
    const made = known.get(given) ?? make(given)
    known.set(given, made)
    return made
  }
}

const readConsole = (folder: string, basePath: string) => {
  const files = readFiles(folder)
  const built = files.get('/index.html')
  const pages = readPages(folder)
  if (!built || !pages) return undefined
  const html = toIndex(built, basePath)
  const { opening } = pages
  const findSignedIn = keepBy((names: readonly string[]) =>
    toPage(toSignedIn(html, { opening, files: names, basePath })),
  )
  return { files, pages: pages.files, index: toPage(html), findSignedIn, notFound: toPage(toNotFound(html, basePath)) }
}

const consoles = new Map<string, ReturnType<typeof readConsole>>()

/** The build in a folder, read once; undefined if there is none. */
const findConsole = (folder: string, basePath: string): ReturnType<typeof readConsole> => {
  const key = `${basePath} ${folder}`
  const known = consoles.get(key) ?? readConsole(folder, basePath)
  consoles.set(key, known)
  return known
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
  const build = findConsole(folder, basePath)
  if (!build) {
    const advice = 'The web console is not built. Run: npm run build -w @noema/console, and start the service again.\n'
    serve('/', toStaticFile(Buffer.from(advice), 'text/plain; charset=utf-8', revalidate))
    return undefined
  }
  const { files, pages, index, findSignedIn, notFound } = build
  for (const [url, names] of pages)
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: async (request, reply) => {
        addVary(reply, 'cookie')
        return sendFile(request, reply, names.length > 0 && hasSession(request) ? findSignedIn(names) : index)
      },
    })
  for (const [path, file] of files) if (path !== '/index.html' && !path.startsWith(assetsPath)) serve(path, file)
  app.route({
    method: ['GET', 'HEAD'],
    url: `${assetsPath}:name`,
    handler: async (request, reply) => {
      const file = files.get(assetsPath + (request.params as { name: string }).name)
      return file ? sendFile(request, reply, file) : reply.callNotFound()
    },
  })
  return notFound
}
