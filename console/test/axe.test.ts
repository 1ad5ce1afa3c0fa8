import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { provideBrowser } from './provide-browser.ts'

// The check of accessibility finds problems that were planted, also a single one among many texts that look alike.

const browser = provideBrowser(() => ({ origin: 'http://127.0.0.1' }))

const rows = (count: number) => Array.from({ length: count }, (_, n) => `<li>Row ${n}</li>`).join('')

const show = ({ planted = '', style = '' }) =>
  browser.page.setContent(`<!doctype html><html lang="en"><head><title>A page</title><style>
    :root { color-scheme: light dark }
    body { color: #222; background: #fff }
    @media (prefers-color-scheme: dark) { body { color: #ddd; background: #111 } }
    ${style}</style></head>
    <body><main><h1>A page</h1><ul>${rows(30)}${planted}${rows(30)}</ul></main></body></html>`)

test('a page without problems has none', async () => {
  await show({})
  expect(await barriers(browser.page)).toEqual([])
})

const inBoth = ['1280 light color-contrast', '1280 dark color-contrast']

test.each<[about: string, page: { planted?: string; style?: string }, found: string[]]>([
  ['a color', { planted: '<li style="color: #777; background: #888">Odd</li>' }, inBoth],
  ['a background around it', { planted: '<li style="background: #7a7a7a"><b>Odd</b></li>' }, inBoth],
  ['a half transparent part around it', { planted: '<li style="opacity: .4"><b>Odd</b></li>' }, inBoth],
  ['the size', { planted: '<li style="color: #777; background: #fff">Odd</li>' }, inBoth],
  [
    'what is enabled, after the same that is disabled',
    {
      planted:
        '<li><button disabled>Odd</button><button>Odd</button><button aria-label="Odd" disabled>Odd</button></li>',
      style: 'button { color: #777; background: #888 }',
    },
    inBoth,
  ],
  [
    'the text of a control',
    { planted: '<li><input aria-label="Name" value="Odd" style="color: #777; background: #888"></li>' },
    inBoth,
  ],
  ['dark alone', { style: '@media (prefers-color-scheme: dark) { body { color: #444 } }' }, inBoth.slice(1)],
  ['a control without a name', { planted: '<li><input></li>' }, ['390 light label', '1280 light label']],
])('a problem is found that lies in %s', async (_about, page, found) => {
  await show(page)
  const problems = await barriers(browser.page)
  expect(problems.map((problem) => problem.split(' ').slice(0, 3).join(' '))).toEqual(found)
})
