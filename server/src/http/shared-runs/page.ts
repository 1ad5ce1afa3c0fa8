import type { SharedRun } from '../../features/agents/run-shares/open-share.ts'
import { escapeHtml } from '../docs/pages.ts'

// The page of a shared run, as HTML without scripts. Every text of the run is escaped and shown as it is.

const toPage = (base: string, title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${title} · Noema</title>
<link rel="icon" href="${base}/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}/docs/assets/docs.css">
</head>
<body>
<main class="guide shared-run">
${content}
</main>
</body>
</html>
`

const toSection = (title: string, content: string): string => `<section><h2>${title}</h2>
${content}
</section>`

const toText = (text: string): string => `<p class="said">${escapeHtml(text)}</p>`

const toList = (items: readonly string[], none: string): string =>
  items.length === 0 ? `<p>${none}</p>` : `<ul>${items.map((item) => `<li>${item}</li>`).join('\n')}</ul>`

const speakers: Readonly<Record<string, string>> = { user: 'Person', assistant: 'Agent', system: 'Instructions' }

const toMessages = (messages: NonNullable<SharedRun['messages']>): string =>
  messages.map(({ role, text }) => `<h3>${speakers[role] ?? 'Other'}</h3>${toText(text)}`).join('\n')

const toCitation = ({ title, url, id }: NonNullable<SharedRun['citations']>[number]): string => {
  const address = url ?? id
  const name = title === undefined ? '' : `${escapeHtml(title)}: `
  return `${name}<code>${escapeHtml(address)}</code>`
}

const toMinute = (iso: string): string => `<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`

/** The page of a run. Citations are addresses without links: a reader has no access to what they name. */
export const sharedRunPage = (base: string, run: SharedRun): string => {
  const { answer, input, messages, operations, citations, state, completedAt, expiresAt } = run
  const ended = completedAt === null ? `It is ${state}.` : `It ended on ${toMinute(completedAt)}: ${state}.`
  const sections = [
    `<h1>Run of an agent</h1><p>${ended} This link works until ${toMinute(expiresAt.toISOString())}.</p>`,
    ...(input === undefined ? [] : [toSection('Input', toText(input))]),
    toSection('Answer', answer === undefined ? '<p>There is no answer yet.</p>' : toText(answer)),
    ...(citations ? [toSection('Sources', toList(citations.map(toCitation), 'The answer names no sources.'))] : []),
    ...(messages ? [toSection('Messages', toMessages(messages))] : []),
    ...(operations
      ? [
          toSection(
            'Operations',
            toList(
              operations.map(({ name, status }) => `<code>${escapeHtml(name)}</code>: ${escapeHtml(status)}`),
              'There are none.',
            ),
          ),
        ]
      : []),
  ]
  return toPage(base, 'Run of an agent', sections.join('\n'))
}

/** The page of a link that leads nowhere. */
export const gonePage = (base: string): string =>
  toPage(
    base,
    'Link not found',
    '<h1>This link does not work</h1><p>It has expired, was revoked, or never existed. Ask the sender for a new one.</p>',
  )
