import type { Plugin } from 'vite'
import { pages } from './src/pages.ts'

/** Writes the list of pages beside them, for the server: another path than these is a 404 of its own. */
export const writePages = (mode: string): Plugin => ({
  name: 'write-pages',
  apply: 'build',
  generateBundle() {
    const paths: string[] = pages.map(({ path }) => path)
    if (mode === 'gallery') paths.push('/components')
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(paths) })
  },
})
