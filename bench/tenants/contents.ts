import { type Attack, repeatedly } from './attack.ts'

// Attacks by content: bodies, texts, dates, large records.

const MiB = 1024 * 1024
const bodyBytes = Math.floor(15.6 * MiB)

/** A body of so many bytes that repeats one thing in a list. */
const fillBody = (before: string, item: string, after: string): Buffer => {
  const count = Math.floor((bodyBytes - before.length - after.length) / (item.length + 1))
  return Buffer.from(`${before}${`${item},`.repeat(count - 1)}${item}${after}`)
}

const message = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"knowledge_write","arguments":'

const bodies: Attack = {
  name: 'bodies',
  about: 'three loops of 15.6 MiB bodies of the smallest values, as batches and by MCP',
  prepare: async ({ send }) => {
    await send('PUT', '/v1/brains/bodies', {})
    return [
      ['batch', fillBody('{"operations":[', '{}', ']}')],
      ['batch', fillBody('[', '0', ']')],
      ['mcp', fillBody(`${message}{"operations":[`, '{}', ']}}}')],
      ['batch', fillBody('{"operations":[{"op":"record.create","kind":"k","fields":{"a":[', '[]', ']}}]}')],
    ]
  },
  run: ({ send }, running, prepared) => {
    const made = prepared as [string, Buffer][]
    return repeatedly(3, running, (turn) => {
      const [below, body] = made[turn % made.length] as [string, Buffer]
      return send('POST', `/v1/brains/bodies/${below}`, body)
    })
  },
}

const texts: Attack = {
  name: 'texts',
  about: 'documents of 15 MB without a space, of one word, of minified JSON, of hexadecimal, of short words',
  prepare: ({ send }) => send('PUT', '/v1/brains/texts', {}),
  run: ({ send }, running) => {
    const made = [
      'ab-'.repeat(5_000_000),
      'a'.repeat(8_400_000),
      `[${'{"a":1},'.repeat(1_800_000)}0]`,
      '0123456789abcdef'.repeat(900_000),
      "a's ".repeat(3_700_000),
    ]
    return repeatedly(2, running, (turn) => send('POST', '/v1/brains/texts/documents', { text: made[turn % 5] }))
  },
}

const dates: Attack = {
  name: 'dates',
  about: 'records with thousands of dates, each with twenty reminders, four at once',
  prepare: async ({ send }) => {
    await send('PUT', '/v1/brains/dates', {})
    const notifyBefore = Array.from({ length: 20 }, (_, index) => `P${index}D`)
    const fields = Array.from({ length: 100 }, (_, index) => ({
      name: `d${index}`,
      type: 'datetime',
      many: true,
      notifyBefore,
    }))
    const operations = [{ op: 'addKind', kind: 'k', fields }]
    const { data } = await send('POST', '/v1/brains/dates/schema/evolve', { baseVersion: 0, operations })
    const { id } = (data.change ?? {}) as { id?: string }
    await send('POST', `/v1/brains/dates/changes/${id}/decide`, { decision: 'approved' })
  },
  run: ({ send }, running) => {
    const values = Array.from({ length: 50 }, (_, index) =>
      new Date(Date.now() + (index + 40) * 86_400_000).toISOString(),
    )
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`d${index}`, values]))
    return repeatedly(4, running, () => send('POST', '/v1/brains/dates/records', { kind: 'k', fields }))
  },
}

const pages: Attack = {
  name: 'pages',
  about: 'records of 1 MB, listed and queried in six loops',
  prepare: async ({ send }) => {
    await send('PUT', '/v1/brains/pages', {})
    const operations = Array(11).fill({ op: 'record.create', kind: 'large', fields: { text: 'x'.repeat(1_000_000) } })
    for (let n = 0; n < 60; n++) {
      const { status } = await send('POST', '/v1/brains/pages/batch', { operations })
      if (status === 429) return
    }
  },
  run: ({ send }, running) =>
    repeatedly(6, running, (turn) =>
      turn % 2 === 0
        ? send('GET', `/v1/brains/pages/records?limit=${turn % 4 === 0 ? 30 : 500}`)
        : send('POST', '/v1/brains/pages/query', { kind: 'large', limit: 60 }),
    ),
}

/** The most fields that a record may have. */
const wideFields = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n]))

const patches: Attack = {
  name: 'patches',
  about: 'batches of 1 to 5 KB that patch a record of 5,000 fields 20 to 100 times, or change nothing, in four loops',
  prepare: async ({ send }) => {
    await send('PUT', '/v1/brains/patches', {})
    await send('PUT', '/v1/brains/patches/records/wide', { kind: 'wide', fields: wideFields })
  },
  run: ({ send }, running) =>
    repeatedly(4, running, (turn) => {
      const fields = turn % 2 === 0 ? { f1: turn } : {}
      const operations = Array(turn % 4 < 2 ? 20 : 100).fill({ op: 'record.patch', id: 'wide', fields })
      return send('POST', '/v1/brains/patches/batch', { operations })
    }),
}

const largeRecords: Attack = {
  name: 'large records',
  about: 'records of 1 MB that are patched by 20 bytes, deleted and reverted by the dozen, in eight loops',
  prepare: async ({ send }) => {
    await send('PUT', '/v1/brains/large', {})
    const text = 'x'.repeat(1_000_000)
    for (let n = 0; n < 4; n++) {
      const ids = Array.from({ length: 12 }, (_, index) => `large-${n}-${index}`)
      const operations = ids.map((id) => ({ op: 'record.put', id, kind: 'large', fields: { text } }))
      await send('POST', '/v1/brains/large/batch', { operations })
    }
  },
  run: ({ send }, running) =>
    repeatedly(8, running, async (turn) => {
      const ids = Array.from({ length: 12 }, (_, index) => `large-${turn % 4}-${index}`)
      if (turn % 3 === 0) return send('PATCH', `/v1/brains/large/records/${ids[turn % 12]}`, { fields: { turn } })
      if (turn % 3 === 1) return send('PATCH', `/v1/brains/large/records/${ids[turn % 12]}`, {})
      const operations = ids.map((id) => ({ op: 'record.delete', id }))
      const { data } = await send('POST', '/v1/brains/large/batch', { operations })
      const { id } = (data.change ?? {}) as { id?: string }
      return send('POST', `/v1/brains/large/changes/${id}/revert`, {})
    }),
}

const words = ['harbour', 'lantern', 'granite', 'meadow', 'copper', 'orchard', 'saddle', 'timber', 'willow', 'anchor']

const passages: Attack = {
  name: 'passages',
  about: 'some 43,000 passages to index and to embed',
  prepare: ({ send }) => send('PUT', '/v1/brains/passages', {}),
  run: ({ send }, running) =>
    repeatedly(2, running, async (turn) => {
      if (turn >= 43) return
      const sentences = Array.from({ length: 12_000 }, (_, index) => {
        const [a, b, c] = [index, index * 7 + turn, index * 3 + 1].map((n) => words[n % words.length])
        return `The ${a} of number ${turn * 12_000 + index} stands beside the ${b} and under a ${c}.`
      })
      await send('POST', '/v1/brains/passages/documents', { text: sentences.join(' ') })
    }),
}

export const contentAttacks: readonly Attack[] = [bodies, texts, dates, pages, patches, largeRecords, passages]
