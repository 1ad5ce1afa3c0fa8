import { createClient } from '@noema/sdk'
import { brainMemory, brainTools } from '@noema/sdk/ai'
import { generateText, isStepCount, wrapLanguageModel } from 'ai'

type Model = Parameters<typeof wrapLanguageModel>[0]['model']

export const answerFromMemory = async (provided: Model, prompt: string) => {
  const brain = createClient().brain('handbook')
  const model = wrapLanguageModel({ model: provided, middleware: brainMemory(brain) })
  return generateText({ model, tools: await brainTools(brain), stopWhen: isStepCount(8), prompt })
}
