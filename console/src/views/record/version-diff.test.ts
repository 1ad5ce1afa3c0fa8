import { expect, test } from 'vitest'
import { diffVersions } from './version-diff.ts'

const first = {
  kind: 'person',
  slug: 'ada',
  fields: { name: 'Ada', address: { city: 'Bern', zip: 3000 }, tags: ['a', 'b'] },
  links: [
    { predicate: 'knows', to: 'bo' },
    { predicate: 'knows', to: 'chen' },
  ],
}

test('versions that differ only in the order of names and links are equal', () => {
  const again = {
    ...first,
    fields: { ...first.fields, address: { zip: 3000, city: 'Bern' } },
    links: first.links.toReversed(),
  }
  expect(diffVersions(first, again)).toEqual([])
})

test('fields, links, slug and kind have their previous and current values', () => {
  const later = {
    kind: 'employee',
    slug: null,
    fields: { name: 'Ada L.', tags: ['b', 'a'], born: null },
    links: [{ predicate: 'knows', to: 'bo' }],
  }
  expect(diffVersions(first, later)).toEqual([
    { part: 'kind', name: 'kind', before: 'person', after: 'employee' },
    { part: 'slug', name: 'slug', before: 'ada', after: undefined },
    { part: 'field', name: 'name', before: 'Ada', after: 'Ada L.' },
    { part: 'field', name: 'address', before: { city: 'Bern', zip: 3000 }, after: undefined },
    { part: 'field', name: 'tags', before: ['a', 'b'], after: ['b', 'a'] },
    { part: 'field', name: 'born', before: undefined, after: null },
    { part: 'link', name: 'knows', before: ['bo', 'chen'], after: ['bo'] },
  ])
})

test('a first version is entirely new', () => {
  expect(diffVersions(undefined, { ...first, links: [] }).map(({ part, name }) => `${part} ${name}`)).toEqual([
    ...['slug slug', 'field name', 'field address', 'field tags'],
  ])
})
