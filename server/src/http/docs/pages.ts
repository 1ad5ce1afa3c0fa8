import type { Guide } from './guides.ts'

// The pages of the documentation, as HTML.

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => escapes[letter] ?? letter)

const frame = (title: string, styles: readonly string[], scripts: readonly string[], body: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
${styles.map((name) => `<link rel="stylesheet" href="/docs/assets/${name}">`).join('\n')}
${scripts.map((name) => `<script src="/docs/assets/${name}" defer></script>`).join('\n')}
</head>
<body>
<nav class="docs-bar" aria-label="Documentation"><a href="/">Noema</a><a href="/docs">API reference</a><a href="/docs/guides">Guides</a><a href="/v1/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a></nav>
${body}
</body>
</html>
`

/** The interactive reference. */
export const referencePage = (): string =>
  frame(
    'API reference · Noema',
    ['swagger-ui.css', 'docs.css'],
    ['swagger-ui-bundle.js', 'reference.js'],
    '<main id="reference"><noscript>This page needs JavaScript. The document itself is at /v1/openapi.json.</noscript></main>',
  )

/** The list of guides. */
export const guidesPage = (guides: readonly Guide[]): string =>
  frame(
    'Guides · Noema',
    ['docs.css'],
    [],
    `<main class="guide"><h1>Guides</h1><dl>${guides
      .map(
        ({ name, title, about }) =>
          `<dt><a href="/docs/guides/${name}">${escapeHtml(title)}</a></dt><dd>${escapeHtml(about)}</dd>`,
      )
      .join('\n')}</dl></main>`,
  )

/** One guide. */
export const guidePage = ({ title }: Guide, html: string): string =>
  frame(`${title} · Noema`, ['docs.css'], [], `<main class="guide">${html}</main>`)
