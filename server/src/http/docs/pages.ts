import type { Guide } from './guides.ts'

// The pages of the documentation, as HTML. `base` is the path that the service is below.

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** A text as HTML shows it. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => escapes[letter] ?? letter)

type Frame = { title: string; styles?: readonly string[]; scripts?: readonly string[]; body: string }

const frame = (base: string, { title, styles = ['docs.css'], scripts = [], body }: Frame): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${base}/favicon.svg" type="image/svg+xml">
${styles.map((name) => `<link rel="stylesheet" href="${base}/docs/assets/${name}">`).join('\n')}
${scripts.map((name) => `<script src="${base}/docs/assets/${name}" defer></script>`).join('\n')}
</head>
<body>
<nav class="docs-bar" aria-label="Documentation"><a href="${base}/">Noema</a><a href="${base}/docs">API reference</a><a href="${base}/docs/guides">Guides</a><a href="${base}/v1/openapi.json">OpenAPI</a><a href="${base}/llms.txt">llms.txt</a></nav>
${body}
</body>
</html>
`

/** The interactive reference. */
export const referencePage = (base: string): string =>
  frame(base, {
    title: 'API reference · Noema',
    styles: ['swagger-ui.css', 'docs.css'],
    scripts: ['swagger-ui-bundle.js', 'reference.js'],
    body: `<main id="reference" data-base="${base}"><noscript>This page needs JavaScript. The document itself is at ${base}/v1/openapi.json.</noscript></main>`,
  })

/** The list of guides. */
export const guidesPage = (base: string, guides: readonly Guide[]): string =>
  frame(base, {
    title: 'Guides · Noema',
    body: `<main class="guide"><h1>Guides</h1><dl>${guides
      .map(
        ({ name, title, about }) =>
          `<dt><a href="${base}/docs/guides/${name}">${escapeHtml(title)}</a></dt><dd>${escapeHtml(about)}</dd>`,
      )
      .join('\n')}</dl></main>`,
  })

/** One guide. */
export const guidePage = (base: string, { title }: Guide, html: string): string =>
  frame(base, { title: `${title} · Noema`, body: `<main class="guide">${html}</main>` })
