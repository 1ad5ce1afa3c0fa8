import { expect, test } from 'vitest'
import { readFile } from './read-file.ts'

const file = (name: string, text: string, size = text.length) => ({ name, size, text: async () => text })

test('a text file becomes a document with its file name as id and its heading as title', async () => {
  expect(await readFile(file('on-call.md', 'intro\n# On call\n\nText'))).toEqual({
    ...{ id: 'on-call.md', title: 'On call', contentType: 'text/markdown', text: 'intro\n# On call\n\nText' },
  })
  expect(await readFile({ ...file('a.txt', 'x'), webkitRelativePath: 'notes/a.txt' })).toMatchObject({
    ...{ id: 'notes/a.txt', title: 'a', contentType: 'text/plain' },
  })
})

test('a file that cannot be a document is refused with the reason', async () => {
  await expect(readFile(file('a.txt', ' \n'))).rejects.toThrow('empty')
  await expect(readFile(file('a.pdf', '%PDF\u0000'))).rejects.toThrow('not text')
  await expect(readFile(file('a.jpg', '\ufffd'.repeat(30)))).rejects.toThrow('not text')
  await expect(readFile(file('a.txt', 'x', 16 * 1024 * 1024))).rejects.toThrow('noema sync')
})
