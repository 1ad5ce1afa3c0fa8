import { createClient } from '@noema/sdk'
import { brainMemory, brainTools } from '@noema/sdk/ai'
import { generateText, isStepCount, type LanguageModel, wrapLanguageModel } from 'ai'

type WrappedModel = Parameters<typeof wrapLanguageModel>[0]['model']

const brain = createClient().brain('handbook')

export const answerWithMemory = async (model: WrappedModel, prompt: string) => {
  const reader: LanguageModel = wrapLanguageModel({ model, middleware: brainMemory(brain) })
  const tools = await brainTools(brain)
  return generateText({ model: reader, tools, stopWhen: isStepCount(8), prompt })
}
