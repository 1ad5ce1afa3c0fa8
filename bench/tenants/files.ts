import { randomBytes } from 'node:crypto'
import type { Account } from './account.ts'
import { type Attack, pause, repeatedly } from './attack.ts'

// Attacks by files: their bytes, and the extraction of their text.

const MiB = 1024 * 1024

/** About the longest text that one file may have: 1.9 million characters. */
const longPage = (turn: number): string => {
  const sentence =
    turn % 2 === 0 ? 'The lantern of the harbor hangs beside the granite. ' : '燈籠掛在花崗岩旁邊的港口。'
  const paragraph = `<p>${sentence.repeat(Math.floor(1_880 / sentence.length))}</p>`
  return `<h1>${turn}</h1>${paragraph.repeat(1_000)}`
}

/** A page whose tags cost the most: rows of tables in tables. */
const slowPage = `<table><tr><td>${'<b><i><a href="https://example.com/x">x</a></i></b>'.repeat(300_000)}`

const sendFile = async ({ send, key }: Account, path: string, body: Buffer | string, type: string) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type }
  const { status, data } = await send('POST', `/v1/artifacts?path=${path}`, body, headers)
  return { status, id: (data.artifact as { id?: string } | undefined)?.id }
}

const files: Attack = {
  name: 'files',
  about:
    'uploads of 8 MiB, downloads of 16 MiB, and documents from files of 1.9 million characters and of the slowest tags',
  prepare: async (account) => {
    await account.send('PUT', '/v1/brains/files', {})
    const large = await sendFile(account, 'large.bin', randomBytes(16 * MiB), 'application/octet-stream')
    const slow = await sendFile(account, 'slow.html', slowPage, 'text/html')
    const pages: (string | undefined)[] = []
    for (let n = 0; n < 3; n++) pages.push((await sendFile(account, `page-${n}.html`, longPage(n), 'text/html')).id)
    return { large: large.id, slow: slow.id, pages }
  },
  run: (account, running, prepared) => {
    const { large, slow, pages } = prepared as { large?: string; slow?: string; pages: (string | undefined)[] }
    const { base, key, send } = account
    const headers = { authorization: `Bearer ${key}` }
    // A slow file goes on at the node after the attack stops.
    const stopped = new Promise<void>((resolve) => running.signal.addEventListener('abort', () => resolve()))
    const addDocument = (artifact: string | undefined) =>
      Promise.race([send('POST', '/v1/brains/files/documents', { artifact }), stopped])
    return Promise.all([
      repeatedly(4, running, async (turn) => {
        const bytes = randomBytes(8 * MiB)
        const { status } = await sendFile(account, `upload-${turn % 8}`, bytes, 'application/octet-stream')
        if (status > 299) await pause(500, running)
      }),
      repeatedly(8, running, async () => {
        const { signal } = running
        const response = await fetch(`${base}/v1/artifacts/${large}/content`, { headers, signal }).catch(
          () => undefined,
        )
        await response?.body?.pipeTo(new WritableStream()).catch(() => undefined)
      }),
      repeatedly(3, running, (turn) => addDocument(pages[turn % pages.length])),
      repeatedly(1, running, () => addDocument(slow)),
    ])
  },
}

export const fileAttacks: readonly Attack[] = [files]
