import { defineConfig } from 'vite'
import { nameLight } from './name-light.ts'
import { precompress } from './precompress.ts'
import { preloadFirst } from './preload-first.ts'
import { slimContracts } from './slim-contracts.ts'
import { writePages } from './write-pages.ts'

// The first page needs few files, because larger files compress better and load in parallel: Preact, the code that the sign-in and
// the frame share, and its forms or the frame. The frame lists the file of every view, so those names are short.
const groups = [
  { name: 'preact', priority: 3, test: /node_modules\/preact\/|rolldown\/runtime/ },
  { name: 'entry', priority: 2, test: /console\/src\/(entry|components\/(button|icon|mark|theme-toggle))\.tsx$/ },
  {
    name: 'forms',
    priority: 2,
    test: /console\/src\/(components\/(field|choices|code-input|new-password|use-action|use-loaded)|views\/entry\/entry-form|session\/(entry-calls|ways-in))\.tsx?$/,
  },
  { name: 'frame', priority: 1, test: /console\/src\/app\/app\.tsx$/ },
  { name: nameLight, debugName: 'shared', minShareCount: 18 },
]

// The console and its libraries are written for React and run on Preact, which is a sixth of its size.
const alias = [
  { find: /^react$/, replacement: 'preact/compat' },
  { find: /^react-dom$/, replacement: 'preact/compat' },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
  { find: /^react\/jsx-dev-runtime$/, replacement: 'preact/jsx-dev-runtime' },
  // Preact has this hook built in.
  { find: /^use-sync-external-store\/shim$/, replacement: 'preact/compat' },
  {
    find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
    replacement: 'use-sync-external-store/with-selector.js',
  },
]

// `npm run dev` serves the pages on port 5173, reloads them on changes, and forwards calls to the service, which trusts the pages' origin.
const service = `http://127.0.0.1:${process.env.NOEMA_PORT ?? 4100}`

// biome-ignore lint/style/noDefaultExport: Vite takes a default export
export default defineConfig(({ mode, command }) => ({
  // The base path of the service is known when it starts, so files use relative URLs.
  base: command === 'build' ? './' : '/',
  plugins: [slimContracts(), writePages(mode), preloadFirst(), precompress()],
  resolve: { alias },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    // The content security policy forbids data: URLs, so nothing is inlined.
    assetsInlineLimit: 0,
    // The files of a view load when the pointer is over a link to it. A list of them for every view would enlarge each page.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, files, { hostType }) => (hostType === 'html' ? files : []),
    },
    reportCompressedSize: true,
    // The tests of sizes read the files of each page from it.
    manifest: true,
    rolldownOptions: {
      output: { chunkFileNames: 'assets/[hash:7].js', codeSplitting: { groups } },
      // Libraries say "use client" to frameworks that also run on a server.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': service, '/v1': service } },
}))
