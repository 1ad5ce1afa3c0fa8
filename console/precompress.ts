import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const texts = new Set(['.css', '.html', '.js', '.svg'])

// A smaller file fits into one packet anyway.
const minBytes = 1024

/** Writes a compressed copy next to each text file of a production build: `.br` and `.gz`. */
export const precompress = (): Plugin => ({
  name: 'precompress',
  apply: (_config, { command, mode }) => command === 'build' && mode === 'production',
  writeBundle: ({ dir = '' }) => {
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || !texts.has(extname(path))) continue
      const body = readFileSync(path)
      if (body.length < minBytes) continue
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
      writeFileSync(`${path}.br`, brotliCompressSync(body, { params }))
      writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }))
    }
  },
})
