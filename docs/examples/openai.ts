import OpenAI from 'openai'

/** Asks an agent, prints its answer as it is written, and returns it. */
export const ask = async (model: string, question: string) => {
  const openai = new OpenAI({ baseURL: `${process.env.NOEMA_BASE_URL}/v1`, apiKey: process.env.NOEMA_API_KEY })
  const stream = openai.chat.completions.stream({ model, messages: [{ role: 'user', content: question }] })
  stream.on('content', (delta) => process.stdout.write(delta))
  return (await stream.finalChatCompletion()).choices[0]?.message.content
}
