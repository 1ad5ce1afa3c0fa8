import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// `npm run dev -w @noema/console` serves the pages with hot reload and passes calls on to a service on its usual port.
// That service must trust the pages' origin: start it with NOEMA_TRUSTED_ORIGINS=http://localhost:5173.
const service = 'http://127.0.0.1:4100'

// biome-ignore lint/style/noDefaultExport: Vite takes a default export
export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2023',
    // The policy of the pages allows no data: addresses, so nothing is written into them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': service, '/v1': service } },
})
