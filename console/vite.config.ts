import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'
import { slimContracts } from './slim-contracts.ts'
import { writePages } from './write-pages.ts'

// `npm run dev` serves the pages with hot reload on port 5173 and passes calls on to the service, which it starts so that it
// trusts the pages' origin.
const service = `http://127.0.0.1:${process.env.NOEMA_PORT ?? 4100}`

// biome-ignore lint/style/noDefaultExport: Vite takes a default export
export default defineConfig(({ mode }) => ({
  plugins: [react(), slimContracts(), writePages(mode), precompress()],
  build: {
    target: 'es2023',
    // The policy of the pages allows no data: addresses, so nothing is written into them.
    assetsInlineLimit: 0,
    // A view's files are asked for when a link to it is pointed at; a list of them for every view would weigh on each page.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    reportCompressedSize: true,
    // Which files each page loads: the tests of sizes read it.
    manifest: true,
    // The frame of the pages names the file of every view, so the names are short.
    rolldownOptions: { output: { chunkFileNames: 'assets/[hash].js' } },
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': service, '/v1': service } },
}))
