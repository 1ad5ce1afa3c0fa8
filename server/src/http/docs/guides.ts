import { existsSync, readdirSync, readFileSync } from 'node:fs'
import markdownIt from 'markdown-it'

// The guides: the pages of docs/ that are written for users, as Markdown and as HTML.

const folder = new URL('../../../../docs/', import.meta.url)

/** Pages for those who work on the service itself. */
const notGuides: ReadonlySet<string> = new Set(['requirements'])

export type Guide = { name: string; title: string; about: string; markdown: string }

/** The first sentence below the title, whole up to its period or its colon. Code, tables, lists and headings have none. */
const findAbout = (markdown: string): string => {
  const prose = markdown.replaceAll(/^```.*?^```$/gms, '')
  const paragraph = prose.split(/\n\n+/).find((part) => /^[A-Z*`]/.test(part)) ?? ''
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')
  return (/^.+?[.:](?= |$)/.exec(plain)?.[0] ?? plain).replace(/:$/, '.')
}

const readGuide = (name: string): Guide => {
  const markdown = readFileSync(new URL(`${name}.md`, folder), 'utf8')
  return { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, about: findAbout(markdown), markdown }
}

/** Every guide, by name. None where the service was installed without its docs. */
export const readGuides = (): Guide[] => {
  const files = existsSync(folder) ? readdirSync(folder) : []
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .filter((name) => !notGuides.has(name))
    .sort()
    .map(readGuide)
}

/** The anchor of a heading, as GitHub makes it. */
const toAnchor = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const markdown = markdownIt({ html: false, linkify: false })

/** The address of a guide's link on this service; undefined if the file is not served. */
const toAddress = (base: string, href: string, names: ReadonlySet<string>): string | undefined => {
  if (/^(https?:|#)/.test(href)) return href
  if (href === 'openapi.json') return `${base}/v1/openapi.json`
  const [, name = '', anchor = ''] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return names.has(name) ? `${base}/docs/guides/${name}${anchor}` : undefined
}

/** A guide as HTML. Its links lead to other guides; the link of an unserved file becomes text. */
export const renderGuide = (base: string, guide: Guide, guides: readonly Guide[]): string => {
  const names = new Set(guides.map(({ name }) => name))
  const tokens = markdown.parse(guide.markdown, {})
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', toAnchor(tokens[index + 1]?.content ?? ''))
    for (const child of token.children ?? []) {
      if (child.type !== 'link_open') continue
      const address = toAddress(base, String(child.attrGet('href')), names)
      if (address === undefined) child.attrs = null
      else child.attrSet('href', address)
    }
  }
  return markdown.renderer.render(tokens, markdown.options, {})
}
