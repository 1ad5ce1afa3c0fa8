import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Source,
  LanguageModelV4Text,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider'
import type { Evidence } from '@noema/contracts/search.ts'
import {
  type Answer,
  answerBlind,
  answerByPerson,
  answerEmpty,
  answerNothing,
  answerQuotes,
  toSources,
} from './answer.ts'
import { findQuestion, findReply } from './ask-person.ts'
import { chooseQuotes, listSentences, rankSentences } from './choose-quotes.ts'
import { fillSchema } from './fill-schema.ts'
import { type Call, findTask, takeProposalStep } from './proposals/propose.ts'
import { type Findings, readFindings } from './read-found.ts'
import { type Prompt, readPrompt } from './read-prompt.ts'

// One step: the Brains are asked, all at once, or what they answered becomes the answer.

/** What a step consists of. */
export type StepPart = LanguageModelV4Text | LanguageModelV4Source | LanguageModelV4ToolCall

const maxQueryLength = 4_000

const readsBrain = /(?:^|__)knowledge_(context|search)$/

/** The tools that look into a Brain, one for each Brain: its context, or its search where that is all it has. */
const findTools = ({ tools = [], toolChoice }: LanguageModelV4CallOptions): string[] => {
  if (toolChoice?.type === 'none') return []
  const names = tools.flatMap(({ name }) => (readsBrain.test(name) ? [name] : []))
  return names.filter((name) => {
    const context = name.replace(/search$/, 'context')
    return name === context || !names.includes(context)
  })
}

/** What a tool is asked: the question, or the conversation where there is more than that. */
const toInput = (name: string, { question, conversation }: Prompt): object => {
  if (name.endsWith('search')) return { query: question.slice(-maxQueryLength).toWellFormed() }
  return conversation.length > 1 || question.length > maxQueryLength ? { messages: conversation } : { query: question }
}

const toCalls = (calls: readonly Call[]): LanguageModelV4ToolCall[] =>
  calls.map(({ toolName, input }, index) => ({
    ...{ type: 'tool-call', toolCallId: `call-${index + 1}`, toolName },
    input: JSON.stringify(input),
  }))

const toContent = ({ text, sources, citations }: Answer): StepPart[] => [
  { type: 'text', text, ...(citations.length > 0 ? { citations } : {}) },
  ...sources,
]

const findBestEvidence = (findings: readonly Findings[]): Evidence =>
  (['strong', 'weak'] as const).find((one) => findings.some(({ evidence }) => evidence === one)) ?? 'none'

const rank = ({ question, conversation }: Prompt, findings: readonly Findings[]) => {
  const evidence = findBestEvidence(findings)
  // Beside strong evidence, what is weak says little.
  const found = findings.flatMap((one) => one.found.filter((item) => evidence !== 'none' && item.evidence === evidence))
  const earlier = conversation.slice(0, -1).flatMap(({ role, content }) => (role === 'user' ? [content] : []))
  return { evidence, ranked: rankSentences(listSentences(found), { question, earlier: earlier.join('\n') }) }
}

/** The answer by what was found. Where that is nothing a person is asked, where the agent may. */
const answer = (options: LanguageModelV4CallOptions, prompt: Prompt, findings: readonly Findings[]): Answer | Call => {
  const { evidence, ranked } = rank(prompt, findings)
  const quotes = chooseQuotes(ranked)
  if (quotes.length > 0) return answerQuotes(quotes, evidence, findings)
  const reply = findReply(prompt)
  if (reply !== undefined) return answerByPerson(reply)
  return findQuestion(options, prompt) ?? answerNothing(findings)
}

/** The answer in the form that is wanted, with the sources of what it was filled from. */
const answerJson = (
  schema: { readonly [name: string]: unknown },
  prompt: Prompt,
  findings: readonly Findings[],
): StepPart[] => {
  const { ranked } = rank(prompt, findings)
  const { output, quotes } = fillSchema(schema, ranked)
  return [{ type: 'text', text: JSON.stringify(output) }, ...toSources(quotes)]
}

/** Takes the next step of a run. */
export const takeStep = (options: LanguageModelV4CallOptions): StepPart[] => {
  const prompt = readPrompt(options)
  const task = findTask(options, prompt)
  if (task) {
    const next = takeProposalStep(task, prompt)
    return 'calls' in next ? toCalls(next.calls) : toContent(next.answer)
  }
  const tools = findTools(options)
  const results = prompt.results.filter(({ toolName }) => readsBrain.test(toolName))
  if (prompt.question === '') return toContent(answerEmpty())
  if (results.length === 0 && tools.length > 0)
    return toCalls(tools.map((toolName) => ({ toolName, input: toInput(toolName, prompt) })))
  const findings = readFindings(results)
  const { responseFormat } = options
  if (responseFormat?.type === 'json') return answerJson({ ...responseFormat.schema }, prompt, findings)
  const next = results.length === 0 ? answerBlind() : answer(options, prompt, findings)
  return 'toolName' in next ? toCalls([next]) : toContent(next)
}
