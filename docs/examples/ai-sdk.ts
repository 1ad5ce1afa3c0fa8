import { createClient } from '@noema/sdk'
import { brainTools } from '@noema/sdk/ai'
import { generateText, isStepCount, type LanguageModel } from 'ai'

export const answer = async (model: LanguageModel, prompt: string) => {
  const brain = createClient().brain('handbook')
  const tools = await brainTools(brain)
  return generateText({ model, tools, stopWhen: isStepCount(8), prompt })
}
