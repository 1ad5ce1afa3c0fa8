import { expect, test } from 'vitest'
import { readWorked } from '../../../../test/worked.ts'
import { readBlocks } from './blocks.ts'

const read = (text: string) => [...readBlocks(text)].flat()
const texts = (text: string) => read(text).map((block) => block.text)

test('paragraphs, list items and rows are blocks, each with its headings and what contains it', () => {
  const page = [
    ...['# Server', '', '<a id="limit"></a>', '## `bodyLimit`', '', '+ Default: `1048576` (1MiB)', ''],
    ...['The maximum payload, in bytes,', 'that the server accepts.', '', '## Options', '', '* `tls` {Object}'],
    ...['  * `ca` {string} The', '    certificate.', '', '| Version | Node.js |', '| :-- | --- |', '| 5 | 20, 22 |'],
  ].join('\n')
  const limit = { headings: ['Server', '`bodyLimit`'] }
  const options = { headings: ['Server', 'Options'] }
  expect(read(page)).toMatchObject([
    { kind: 'item', text: 'Default: `1048576` (1MiB)', above: [], order: 0, ...limit },
    { kind: 'paragraph', text: 'The maximum payload, in bytes,\nthat the server accepts.', order: 1, ...limit },
    { kind: 'item', text: '`tls` {Object}', above: [], ...options },
    { kind: 'item', text: '`ca` {string} The\ncertificate.', above: ['`tls` {Object}'], ...options },
    { kind: 'row', text: '5 | 20, 22', above: ['Version', 'Node.js'], ...options },
  ])
})

test('headings, anchors, frontmatter, comments and code are no blocks, and code belongs to the block before it', () => {
  const page =
    '---\ntitle: Settings\nauthor: x\n---\n\n<!-- none -->\n<a id="a"></a>\n\nCall it:\n\n```js\nrun()\n```\n'
  expect(read(page)).toEqual([
    { kind: 'paragraph', text: 'Call it:', headings: ['Settings'], above: [], order: 0, code: 'run()' },
  ])
})

test('lines of a conversation or a form are blocks of their own, wrapped lines are not', () => {
  expect(texts('Ada: I work at Acme.\nBo: Fine.')).toEqual(['Ada: I work at Acme.', 'Bo: Fine.'])
  expect(texts('A sentence that\ngoes on.')).toEqual(['A sentence that\ngoes on.'])
})

test('headings within a quotation are above nothing else, and notes lose their mark', () => {
  const page = '# A\n\n> ## B\n> in b\n\nin a\n\n> [!NOTE]\n> Take care.'
  expect(read(page).map(({ text, headings }) => [text, headings])).toEqual([
    ['in b', ['A']],
    ['in a', ['A']],
    ['Take care.', ['A']],
  ])
})

test('a table of several pieces keeps the titles of its columns', () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => `| code ${index} | meaning ${index} |`)
  const blocks = read(['# Codes', '', '| Code | Meaning |', '|---|---|', ...rows].join('\n'))
  expect(blocks).toHaveLength(2_000)
  expect(blocks.every(({ kind, above }) => kind === 'row' && above.join() === 'Code,Meaning')).toBe(true)
})

test('code of several pieces stays code', () => {
  const code = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n\n# no heading`)
  expect(texts(`Before.\n\n\`\`\`sh\n${code.join('\n')}\n\`\`\`\n\nAfter.`)).toEqual(['Before.', 'After.'])
})

test('hostile texts are read in time, in many pieces', () => {
  const began = readWorked()
  const hostile = [
    '> ',
    '- ',
    '* a\n',
    'a\n',
    '# a\n',
    '|a|b|\n|-|-|\n',
    '- a\n  - b\n',
    '<a ',
    '<!--',
    'A',
    '[a](',
    'a: b\n',
  ]
  for (const piece of hostile) {
    const pieces = [...readBlocks(piece.repeat(40_000 / piece.length))]
    expect(pieces.length).toBeGreaterThan(4)
  }
  expect(readWorked() - began).toBeLessThan(4_000)
})
