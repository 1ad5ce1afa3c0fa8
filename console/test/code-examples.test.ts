import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import * as examples from '../src/code/examples.ts'
import * as retrieval from '../src/code/retrieval-examples.ts'

// Code that a person copies into a shell may contain text from a link of someone else.
const hostile = '$(mark)`mark`;mark\'"|mark'
const place = {
  baseUrl: `http://x/${hostile}`,
  handle: hostile,
  organizationId: hostile,
  email: hostile,
  name: hostile,
  corpus: hostile,
}

const made = [
  examples.mintBrainKeyCode(place),
  examples.putBrainCode(place, hostile),
  examples.writeCode(place, { what: 'document', title: hostile, text: hostile }),
  examples.followCode(place, { types: [hostile], after: hostile }),
  examples.listCode(place, 'records', { kind: hostile }),
  examples.readCode(place, { what: 'records', id: hostile }),
  examples.listBrainsCode(place),
  examples.listKeysCode(place),
  retrieval.searchExample(place, { q: hostile, mode: hostile, types: [hostile], kinds: [hostile] }),
  retrieval.contextExample(place, { query: hostile, kinds: [hostile] }),
  retrieval.corpusSearchExample(place, { q: hostile, mode: hostile, metadata: { [hostile]: hostile } }),
  retrieval.corpusContextExample(place, { query: hostile, kinds: [hostile] }),
  retrieval.queryExample(place, { kind: hostile, where: { [hostile]: hostile } }),
]

test.each(made.flatMap((one) => ('cli' in one && one.cli !== undefined ? [one.curl, one.cli] : [one.curl])))(
  'an example runs only its own command: %s',
  (code) => {
    const script = `mark() { echo ran >&2; }; curl() { :; }; npx() { :; }\n${code}\n`
    const { stderr, status } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  },
)

test('harmless text is not quoted', () => {
  const { cli } = examples.followCode(
    { baseUrl: 'http://127.0.0.1:4100', handle: 'docs' },
    { types: ['a', 'b'], after: 'abc' },
  )
  expect(cli).toContain('npx noema --base-url http://127.0.0.1:4100 events tail --brain docs --types a,b --after abc')
})

test('the request of a model is JSON, for any query', () => {
  const { mcp } = retrieval.searchExample(place, { q: hostile, types: undefined })
  const sent: unknown = JSON.parse(mcp.split('\n').slice(1).join('\n'))
  expect(sent).toMatchObject({ params: { name: 'knowledge_search', arguments: { query: hostile } } })
})
