import type { Plugin } from 'vite'
import { findFiles, firstModules, listChunks } from './chunk-files.ts'

/** Adds to the page what every visit needs: the files of the first component. They load while the page is parsed. */
export const preloadFirst = (): Plugin => ({
  name: 'preload-first',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) =>
      [...findFiles(firstModules, listChunks(bundle))]
        .filter((file) => !html.includes(file))
        .map((file) => ({
          ...{ tag: 'link', injectTo: 'head' },
          attrs: { crossorigin: true, rel: 'modulepreload', href: `./${file}` },
        })),
  },
})
