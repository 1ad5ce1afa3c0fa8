import { createClient } from '@noema/sdk'

/** Answers a question, and checks later whether the versions behind the answer are still current. */
export const createAnswering = (baseUrl: string, apiKey: string, ask: (prompt: string) => Promise<string>) => {
  const brain = createClient({ baseUrl, apiKey }).brain('handbook')
  return {
    answer: async (question: string) => {
      const { context, receipt } = await brain.context({ query: question, consumerId: 'my-agent' })
      return { text: await ask(`${context}\n\n${question}`), receipt }
    },
    stillStands: async (receipt: string) => (await brain.receipts.get(receipt)).receipt.current,
    people: async () => {
      const names: unknown[] = []
      for await (const { fields } of brain.query({ kind: 'person' })) names.push(fields.name)
      return names
    },
  }
}
