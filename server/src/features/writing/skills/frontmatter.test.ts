import { expect, test } from 'vitest'
import { parseFrontmatter } from './frontmatter.ts'

const parse = (yaml: string) => parseFrontmatter(`---\n${yaml}\n---\nText`, 'a')
const base = 'name: a\ndescription: b\n'

test('SKL-07 frontmatter is read with its own fields, CRLF and a byte order mark', () => {
  const yaml = `${base}license: MIT\nmetadata: {version: 1.2, tags: [x, y]}\nallowed-tools: Bash\nd: 2001-01-01`
  const frontmatter = {
    ...{ name: 'a', description: 'b', license: 'MIT', 'allowed-tools': 'Bash', d: '2001-01-01' },
    metadata: { version: 1.2, tags: ['x', 'y'] },
  }
  expect(parse(yaml)).toEqual({ frontmatter })
  expect(parseFrontmatter(`\uFEFF---\r\n${yaml.replaceAll('\n', '\r\n')}\r\n---\r\n`, 'a')).toEqual({ frontmatter })
  expect(parseFrontmatter(`---\n${base}---`, 'a')).toHaveProperty('frontmatter')
})

const laughs = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(9)}]`).join('\n')

test.each([
  ['no frontmatter', '# Title'],
  ['an open one', `---\n${base}`],
  ['a list', '---\n- name: a\n---\n'],
  ['nothing', '---\n---\n'],
  ['another name', '---\nname: b\ndescription: b\n---\n'],
  ['no description', '---\nname: a\n---\n'],
  ['an empty description', '---\nname: a\ndescription: " "\n---\n'],
  ['a long description', `---\nname: a\ndescription: ${'x'.repeat(1_025)}\n---\n`],
  ['a number for a text', `---\n${base}license: 1\n---\n`],
  ['a long compatibility', `---\n${base}compatibility: ${'x'.repeat(501)}\n---\n`],
  ['metadata that is a list', `---\n${base}metadata: [a]\n---\n`],
  ['one key twice', `---\n${base}name: a\n---\n`],
  ['a billion laughs', `---\n${base}l0: &l0 lol\n${laughs}\n---\n`],
  ['an alias', `---\n${base}x: &x [1]\ny: *x\n---\n`],
  ['a merge key', `---\n${base}x: &x {a: 1}\ny:\n  <<: *x\n---\n`],
  ['__proto__', `---\n${base}__proto__: {isAdmin: true}\n---\n`],
  ['__proto__ deep inside', `---\n${base}metadata:\n  a:\n    __proto__: 1\n---\n`],
  ['a tag', `---\n${base}x: !!js/function 'f'\n---\n`],
  ['no number', `---\n${base}x: .nan\n---\n`],
  ['deep nesting', `---\n${base}x: ${'['.repeat(60)}${']'.repeat(60)}\n---\n`],
  ['thousands of brackets', `---\n${base}x: ${'['.repeat(4_000)}\n---\n`],
  ['thousands of lines', `---\n${base}${'#\n'.repeat(2_000)}---\n`],
  ['many characters', `---\n${base}x: ${'x'.repeat(5_000)}\n---\n`],
  ['a key that is a map', `---\n${base}? {a: 1}\n: 1\n---\n`],
])('SKL-07 hostile frontmatter is refused quickly: %s', (_name, text) => {
  const begun = performance.now()
  expect(parseFrontmatter(text, 'a')).toEqual({ problem: expect.any(String) })
  // The bound is far above what it takes, and far below what such texts take without one.
  expect(performance.now() - begun).toBeLessThan(2_000)
  expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false)
})
