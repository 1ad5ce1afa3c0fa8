import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The files of the interactive reference: those of swagger-ui-dist, and what makes them at home under the service's policy.

export type Asset = { type: string; body: Buffer }

const readOwn = (name: string): Buffer => readFileSync(new URL(name, import.meta.url))

const readPart = (name: string): string =>
  readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), 'utf8')

const mediaType = /^data:([\w/+-]+)(;base64)?/

/** Images inside a style sheet become files: the policy allows only files of this origin. */
const extractImages = (base: string, css: string) => {
  const images: Record<string, Asset> = {}
  const text = css.replaceAll(/url\("?(data:(?:\\.|[^")\\])*)"?\)/g, (_whole, given: string) => {
    const uri = given.replaceAll('\\"', '"')
    const [, type = 'image/svg+xml', base64] = mediaType.exec(uri) ?? []
    const content = uri.slice(uri.indexOf(',') + 1)
    const body = base64 ? Buffer.from(content, 'base64') : Buffer.from(decodeURIComponent(content))
    const name = `image-${Object.keys(images).length}.${type === 'image/svg+xml' ? 'svg' : type.slice('image/'.length)}`
    images[name] = { type, body }
    return `url("${base}/docs/assets/${name}")`
  })
  return { text, images }
}

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'

/** Every file that the pages of the documentation load, by name. `base` is the path that the service is below. */
export const readAssets = (base: string): Record<string, Asset> => {
  const { text, images } = extractImages(base, readPart('swagger-ui.css'))
  return {
    'docs.css': { type: css, body: readOwn('docs.css') },
    'reference.js': { type: script, body: readOwn('reference.js') },
    'swagger-ui.css': { type: css, body: Buffer.from(text) },
    'swagger-ui-bundle.js': { type: script, body: Buffer.from(readPart('swagger-ui-bundle.js')) },
    ...images,
  }
}
