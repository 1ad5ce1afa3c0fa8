import { type Attack, pause, repeatedly } from './attack.ts'

// Attacks by evals.

const cases = Array.from({ length: 1_000 }, (_, number) => ({
  ...{ id: `case-${number}`, input: `question ${number} about the harbor and its tide`, expected: 'noon' },
}))

/** Twenty graders, of the kinds that take the most time for each character. */
const graders = Array.from({ length: 20 }, (_, number) => [
  { type: 'contains', name: `contains-${number}`, ignoreCase: true },
  { type: 'regex', name: `regex-${number}`, pattern: `(tide|harbor|noon).{0,${number + 1}}[a-z]+` },
  { type: 'not_contains', name: `without-${number}`, values: ['nothing of this'] },
])
  .flat()
  .slice(0, 20)

const evals: Attack = {
  name: 'evals',
  about: 'runs of an eval with a thousand cases and twenty graders, as many as an organization may have at once',
  prepare: async ({ send }) => {
    await send('PUT', '/v1/brains/graded', {})
    const text = 'The harbor has a high tide at noon. '.repeat(100)
    for (let number = 0; number < 100; number++)
      await send('POST', '/v1/brains/graded/documents', { id: `text-${number}`, text: `${number}. ${text}` })
    const target = { brain: 'graded', read: 'search', mode: 'lexical' }
    const made = await send('POST', '/v1/evals', { name: 'hostile', target, cases, graders })
    const { id } = (made.data.eval ?? {}) as { id?: string }
    if (id === undefined) throw new Error(`the eval was answered ${made.status}`)
    return id
  },
  run: ({ send }, running, evalId) =>
    repeatedly(4, running, async () => {
      const { status } = await send('POST', `/v1/evals/${evalId}/runs`, {})
      if (status > 299) await pause(500, running)
    }),
}

export const evalAttacks: readonly Attack[] = [evals]
