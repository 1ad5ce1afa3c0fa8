import type { Plugin } from 'vite'

/** Adds to the page what every visit needs: the files of the first component. They load while the page is parsed. */
export const preloadFirst = (): Plugin => ({
  name: 'preload-first',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/main.tsx'))
      if (!main) throw new Error('The build has no file of src/main.tsx.')
      const missing = [main.fileName, ...main.imports].filter((file) => !html.includes(file))
      const modules = missing.map((file) => ({ rel: 'modulepreload', href: `./${file}` }))
      return modules.map((attrs) => ({
        tag: 'link',
        attrs: { crossorigin: true, ...attrs },
        injectTo: 'head',
      }))
    },
  },
})
