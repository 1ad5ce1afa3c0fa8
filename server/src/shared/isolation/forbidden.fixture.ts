import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { promises as dns } from 'node:dns'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { Worker } from 'node:worker_threads'

// Tries in an isolated process everything that hostile input might want, and prints what it could do.

const port = Number(process.argv[2])
const attempts: Readonly<Record<string, () => unknown>> = {
  'read a file': () => readFileSync('/etc/hostname'),
  'read an environment variable': () => {
    if (Object.keys(process.env).every((name) => name === 'TZ')) throw new Error('There are none.')
  },
  'write a file': () => writeFileSync('/dev/null', 'x'),
  'run a program': () => execFileSync('true'),
  'start a thread': () => new Worker('1', { eval: true }),
  'run text as code': () => new Function('return 1')(),
  'open a connection': () =>
    new Promise((resolve, reject) => connect(port, '127.0.0.1', () => resolve(1)).on('error', reject)),
  'fetch a page': () => fetch(`http://127.0.0.1:${port}/`),
  listen: () => createServer().listen(0),
  'send a datagram': () => createSocket('udp4').send('x', port, '127.0.0.1'),
  'look up a name': () => dns.lookup('localhost'),
}

const done: string[] = []
for (const [name, attempt] of Object.entries(attempts))
  try {
    await attempt()
    done.push(name)
  } catch {
    // Denied, as it should be.
  }
process.stdout.write(JSON.stringify({ tried: Object.keys(attempts).length, done }), () => process.exit(0))
