import { expect, test } from 'vitest'
import { parseHostPort, toHostPort } from './host-port.ts'

test.each([
  ['10.0.0.5:4101', { host: '10.0.0.5', port: 4101 }],
  ['node-1.example.com:80', { host: 'node-1.example.com', port: 80 }],
  ['[fd00::5]:4101', { host: 'fd00::5', port: 4101 }],
])('%s is written and read as a host and a port', (text, parts) => {
  expect(toHostPort(parts)).toBe(text)
  expect(parseHostPort(text)).toEqual(parts)
})
