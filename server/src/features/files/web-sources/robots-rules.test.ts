import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readWorked } from '../../../test/worked.ts'
import { allowsPath, parseRobots } from './robots-rules.ts'

const allows = (robots: string, path: string) => allowsPath(parseRobots(robots, 'noema'), path)

test.each([
  ['no rule allows everything', '', '/a', true],
  ['the rules for all programs count', 'User-agent: *\nDisallow: /private', '/private/a', false],
  ['other paths are allowed', 'User-agent: *\nDisallow: /private', '/public', true],
  [
    'rules by name replace those for all',
    'User-agent: *\nDisallow: /\n\nUser-agent: Noema/2\nDisallow: /x',
    '/a',
    true,
  ],
  ['an empty rule by name allows everything', 'user-agent: noema\ndisallow:\n\nuser-agent: *\ndisallow: /', '/a', true],
  ['rules for others do not count', 'User-agent: Other\nDisallow: /', '/a', true],
  ['several names share their rules', 'User-agent: other\nUser-agent: noema\nDisallow: /', '/a', false],
  ['the longest rule decides', 'User-agent: *\nDisallow: /docs\nAllow: /docs/open', '/docs/open/a', true],
  ['of equal rules the one that allows decides', 'User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
  ['a star matches anything', 'User-agent: *\nDisallow: /*/draft', '/x/y/draft1', false],
  ['a dollar stands for the end', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf', false],
  ['nothing comes after the end', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf?x=1', true],
  ['a query is a part of the path', 'User-agent: *\nDisallow: /*?', '/a?b', false],
  ['comments and unknown lines are skipped', '# all\nUser-agent: * # any\nSitemap: /s\nDisallow: /a # no', '/a', false],
  ['other letters are compared as URLs have them', 'User-agent: *\nDisallow: /über', '/%C3%BCber', false],
])('WEB-07 %s', (_case, robots, path, expected) => {
  expect(allows(robots, path)).toBe(expected)
})

const plainPath = fc.webPath().filter((path) => !/[*$#]/.test(path))

test('WEB-07 any text is read, and a rule without signs describes what begins with it', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), plainPath, (text, path) => {
      expect(typeof allows(text, path)).toBe('boolean')
      expect(allows(`User-agent: *\nDisallow: ${path || '/'}`, `${path || '/'}more`)).toBe(false)
    }),
  )
})

test('WEB-07 hostile rules take little time', () => {
  const begun = readWorked()
  const rules = `User-agent: *\n${`Disallow: /${'*a'.repeat(249)}b$\n`.repeat(10_000)}`
  expect(allows(rules, `/${'a'.repeat(2_000)}`)).toBe(true)
  expect(readWorked() - begun).toBeLessThan(1_000)
})

test('WEB-07 a rule and a path are the same however signs in them are encoded', () => {
  const rules = parseRobots(
    'User-agent: *\nDisallow: /a|b\nDisallow: /[x]\nDisallow: /c%7cd\nDisallow: /?q={z}\nDisallow: /%7euser',
    'noema',
  )
  const paths = ['/a|b', '/a%7Cb', '/[x]', '/%5Bx%5D', '/c|d', '/c%7Cd', '/?q={z}', '/?q=%7Bz%7D', '/~user', '/%7Euser']
  const toPath = ({ pathname, search }: URL) => pathname + search
  for (const path of paths)
    expect([path, allowsPath(rules, toPath(new URL(path, 'https://a.example')))]).toEqual([path, false])
  expect(allowsPath(rules, '/a%2Fb')).toBe(true)
})
