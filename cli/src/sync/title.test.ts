import { expect, test } from 'vitest'
import { markdownTitle } from './title.ts'

test.each([
  ['# One\n# Two', 'One'],
  ['text\n\n### Deep ###', 'Deep'],
  ['Under\n=====\n', 'Under'],
  ['Under\r\n---\r\n', 'Under'],
  ['---\ntitle: x\n# comment\n---\n# After', 'After'],
  ['```sh\n# comment\n```\n# After', 'After'],
  ['~~~~\n```\n# in\n~~~~\n# After', 'After'],
  ['- item\n---\n# After', 'After'],
  ['#\n# Second', 'Second'],
])('the title of %j is its first heading: %s', (text, title) => {
  expect(markdownTitle(text)).toBe(title)
})

test.each(['', 'no heading', '#hashtag', '---\n---\n', '\n---\n', '| a |\n---'])('%j has no title', (text) => {
  expect(markdownTitle(text)).toBeUndefined()
})
