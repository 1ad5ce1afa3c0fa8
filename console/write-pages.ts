import type { Plugin } from 'vite'
import { pages } from './src/pages.ts'

/** Writes the list of pages into the build. The server answers 404 for other paths. */
export const writePages = (mode: string): Plugin => ({
  name: 'write-pages',
  apply: 'build',
  generateBundle() {
    const paths: string[] = pages.map(({ path }) => path)
    if (mode === 'gallery') paths.push('/components')
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(paths) })
  },
})
