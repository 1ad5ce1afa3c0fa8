import { expect, test } from 'vitest'
import { isLively, printable } from './output.ts'
import { sink } from './test/run-cli.ts'

test('bars are drawn only at a terminal, and never in CI, with NO_COLOR or --json', () => {
  const terminal = Object.assign(sink().output, { isTTY: true })
  expect(isLively(terminal, {}, false)).toBe(true)
  expect(isLively(terminal, {}, true)).toBe(false)
  expect(isLively(terminal, { CI: 'true' }, false)).toBe(false)
  expect(isLively(terminal, { NO_COLOR: '1' }, false)).toBe(false)
  expect(isLively(sink().output, {}, false)).toBe(false)
})

test('control characters are made visible and other text is left alone', () => {
  expect(printable('é 日\u001b[31m\r\n\u009b')).toBe('é 日\\x1b[31m\\x0d\\x0a\\x9b')
})
