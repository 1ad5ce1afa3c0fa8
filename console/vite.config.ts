import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'
import { slimContracts } from './slim-contracts.ts'
import { writePages } from './write-pages.ts'

// What the first page needs comes in few files, as fewer compress better and are asked for at once: React, what signing in
// and the frame share, its forms or the frame. The frame names the file of every view, so those names are short.
const groups = [
  { name: 'react', priority: 3, test: /node_modules\/(react|react-dom|scheduler)\/|rolldown\/runtime/ },
  { name: 'entry', priority: 2, test: /console\/src\/(entry|components\/(button|icon|mark|theme-toggle))\.tsx$/ },
  {
    name: 'forms',
    priority: 2,
    test: /console\/src\/(components\/(field|code-input|new-password|use-action|use-loaded)|views\/entry\/entry-form|session\/(entry-calls|ways-in))\.tsx?$/,
  },
  { name: 'frame', priority: 1, test: /console\/src\/app\/app\.tsx$/ },
]

// React has this hook built in.
const alias = [
  { find: /^use-sync-external-store\/shim$/, replacement: 'react' },
  {
    find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
    replacement: 'use-sync-external-store/with-selector.js',
  },
]

// `npm run dev` serves the pages with hot reload on port 5173 and passes calls on to the service, which it starts so that it
// trusts the pages' origin.
const service = `http://127.0.0.1:${process.env.NOEMA_PORT ?? 4100}`

// biome-ignore lint/style/noDefaultExport: Vite takes a default export
export default defineConfig(({ mode, command }) => ({
  // The service may be below a path of its host, which is known when it is started: files name each other by where they are.
  base: command === 'build' ? './' : '/',
  plugins: [react(), slimContracts(), writePages(mode), precompress()],
  resolve: { alias },
  build: {
    target: 'es2023',
    // The policy of the pages allows no data: addresses, so nothing is written into them.
    assetsInlineLimit: 0,
    // A view's files are asked for when a link to it is pointed at; a list of them for every view would weigh on each page.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, files, { hostType }) => (hostType === 'html' ? files : []),
    },
    reportCompressedSize: true,
    // Which files each page loads: the tests of sizes read it.
    manifest: true,
    rolldownOptions: { output: { chunkFileNames: 'assets/[hash].js', codeSplitting: { groups } } },
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': service, '/v1': service } },
}))
