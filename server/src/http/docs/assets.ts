import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The files of the interactive reference: those of swagger-ui-dist, and what makes them at home under the service's policy.

/** Starts the reference. It calls the origin that it was opened from, whatever the service is called elsewhere. */
const referenceScript = `const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
follow()
dark.addEventListener('change', follow)
fetch('/v1/openapi.json').then((response) => response.json()).then((spec) => {
  SwaggerUIBundle({
    spec: { ...spec, servers: [{ url: location.origin }] },
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    filter: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    validatorUrl: null,
  })
})
`

const styles = `:root { --docs-text: #1d2129; --docs-muted: #5a6270; --docs-ground: #ffffff; --docs-line: #d9dde3; --docs-code: #f3f4f6; --docs-link: #0b57d0 }
@media (prefers-color-scheme: dark) {
  :root { --docs-text: #e6e8eb; --docs-muted: #a7afbb; --docs-ground: #16181c; --docs-line: #343a44; --docs-code: #22262c; --docs-link: #8ab4f8 }
}
body { margin: 0; background: var(--docs-ground); color: var(--docs-text); font: 16px/1.6 system-ui, sans-serif }
.docs-bar { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0.75rem 1.5rem; border-bottom: 1px solid var(--docs-line) }
.docs-bar a, .guide a { color: var(--docs-link) }
.docs-bar a { text-decoration: none }
.docs-bar a:first-child { color: var(--docs-text); font-weight: 600 }
.guide { box-sizing: border-box; max-width: 52rem; margin: 0 auto; padding: 1rem 1.5rem 4rem }
.guide h1, .guide h2, .guide h3 { line-height: 1.25; margin: 2rem 0 0.75rem }
.guide code { background: var(--docs-code); border-radius: 4px; padding: 0.1em 0.3em; font-size: 0.9em }
.guide pre { background: var(--docs-code); border-radius: 8px; padding: 1rem; overflow-x: auto }
.guide pre code { background: none; padding: 0 }
.guide table { border-collapse: collapse; display: block; overflow-x: auto }
.guide th, .guide td { border: 1px solid var(--docs-line); padding: 0.4rem 0.6rem; text-align: left; vertical-align: top }
.guide dt { font-weight: 600; margin-top: 1rem }
.guide dd { margin: 0; color: var(--docs-muted) }
`

export type Asset = { type: string; body: Buffer }

const readPart = (name: string): string =>
  readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), 'utf8')

const mediaType = /^data:([\w/+-]+)(;base64)?/

/** Images that stand in a style sheet become files: the policy takes nothing but what this origin serves. */
const extractImages = (css: string) => {
  const images: Record<string, Asset> = {}
  const text = css.replaceAll(/url\("?(data:(?:\\.|[^")\\])*)"?\)/g, (_whole, given: string) => {
    const uri = given.replaceAll('\\"', '"')
    const [, type = 'image/svg+xml', base64] = mediaType.exec(uri) ?? []
    const content = uri.slice(uri.indexOf(',') + 1)
    const body = base64 ? Buffer.from(content, 'base64') : Buffer.from(decodeURIComponent(content))
    const name = `image-${Object.keys(images).length}.${type === 'image/svg+xml' ? 'svg' : type.slice('image/'.length)}`
    images[name] = { type, body }
    return `url("/docs/assets/${name}")`
  })
  return { text, images }
}

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'

/** Every file that the pages of the documentation load, by name. */
export const readAssets = (): Record<string, Asset> => {
  const { text, images } = extractImages(readPart('swagger-ui.css'))
  return {
    'docs.css': { type: css, body: Buffer.from(styles) },
    'reference.js': { type: script, body: Buffer.from(referenceScript) },
    'swagger-ui.css': { type: css, body: Buffer.from(text) },
    'swagger-ui-bundle.js': { type: script, body: Buffer.from(readPart('swagger-ui-bundle.js')) },
    ...images,
  }
}
