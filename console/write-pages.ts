import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Plugin, runnerImport } from 'vite'
import { findFiles, firstModules, listChunks } from './chunk-files.ts'
import { pages } from './src/pages.ts'

// Writes the list of pages into the build, each with the files that it needs behind the sign-in. The server answers 404 for other
// paths, and names the files in the page of a signed-in person, so that the browser loads them while it parses the page.

const routes = join(import.meta.dirname, 'src/app/routes')
const file = (name: string) => join(import.meta.dirname, 'src', name)

/** The modules that a page behind the sign-in needs before its view. */
const frame = ['app/app.tsx', 'components/panel.tsx', '../../sdk/src/client.ts'].map(file)

type Route = { parent: string; path: string; views: string[] }

/** The routes in a file, by their names. */
const readRoutes = (code: string): [string, Route][] =>
  [...code.matchAll(/const (\w+) = createRoute\(\{(.*?)\n\}\)/gs)].map(([, name = '', body = '']) => [
    name,
    {
      parent: /getParentRoute: (?:\(\) => )?(\w+)/.exec(body)?.[1] ?? '',
      path: /\bpath: '([^']*)'/.exec(body)?.[1] ?? '',
      views: [...body.matchAll(/lazyPage\(\s*\(\) => import\('([^']+)'\)/g)].map(([, view = '']) => join(routes, view)),
    },
  ])

/** The modules of the views of each page, outermost first. */
const findViews = (): Map<string, string[]> => {
  const files = readdirSync(routes).filter((name) => name.endsWith('.tsx'))
  const views = new Map<string, string[]>()
  for (const name of files) {
    const code = readFileSync(join(routes, name), 'utf8')
    const known = new Map(readRoutes(code))
    // `const inBrain = () => brainRoute`
    const aliases = new Map([...code.matchAll(/const (\w+) = \(\) => (\w+)\n/g)].map(([, alias, of]) => [alias, of]))
    for (const route of known.values()) {
      const parent = known.get(aliases.get(route.parent) ?? route.parent)
      const path = `${parent?.path ?? ''}${route.path}`
      const own = [...(parent?.views ?? []), ...route.views]
      views.set(path === '/' ? path : path.replace(/\/$/, ''), own)
    }
  }
  return views
}

/** Writes the pages with their files, and the text of the frame, to `pages.json`. */
export const writePages = (mode: string): Plugin => ({
  name: 'write-pages',
  apply: 'build',
  // After Vite has removed the scripts that only had style sheets.
  generateBundle: {
    order: 'post',
    async handler(_options, bundle) {
      const chunks = listChunks(bundle)
      const first = findFiles(firstModules, chunks)
      const views = findViews()
      const files: Record<string, string[]> = {}
      for (const { path, ...page } of pages) {
        const own = views.get(path)
        if (!own && !('isPublic' in page)) throw new Error(`No route in src/app/routes has the path ${path}.`)
        const all = 'isPublic' in page ? [] : findFiles([...frame, ...(own ?? [])], chunks)
        files[path] = [...all].filter((name) => !first.has(name))
      }
      if (mode === 'gallery') files['/components'] = []
      const { module } = await runnerImport<{ openingText: string }>(file('opening-text.tsx'))
      this.emitFile({
        type: 'asset',
        fileName: 'pages.json',
        source: JSON.stringify({ opening: module.openingText, files }),
      })
    },
  },
})
