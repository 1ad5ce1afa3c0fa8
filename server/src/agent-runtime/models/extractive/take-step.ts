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
import { listSentences, rankSentences } from './choose-quotes.ts'
import { findKindCalls, takeCountStep } from './counting/count-records.ts'
import { fillSchema } from './fill-schema.ts'
import { type Call, findTask, takeProposalStep } from './proposals/propose.ts'
import { quoteAnswer } from './quote-answer.ts'
import { addDocuments, findReads } from './read-document.ts'
import { type Findings, type Found, readFindings } from './read-found.ts'
import { type Prompt, readPrompt } from './read-prompt.ts'

// One step: the Brains are asked, all at once; the best documents are read, or records counted; then what was found becomes the
// answer.

/** The parts of a step. */
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

/** The input of a tool: the question, or the conversation if there is one. */
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

const listBest = (findings: readonly Findings[], evidence: Evidence): Found[] =>
  // Next to strong evidence, weak evidence says little.
  findings.flatMap((one) => one.found.filter((item) => evidence !== 'none' && item.evidence === evidence))

/** The answer from the findings. Without any it asks a person, if the agent may. */
const answer = async (
  options: LanguageModelV4CallOptions,
  prompt: Prompt,
  findings: readonly Findings[],
): Promise<Answer | Call> => {
  const evidence = findBestEvidence(findings)
  const quotes = await quoteAnswer(listBest(findings, evidence), prompt.question)
  if (quotes.length > 0) return answerQuotes(quotes, evidence, findings)
  const reply = findReply(prompt)
  if (reply !== undefined) return answerByPerson(reply)
  return findQuestion(options, prompt) ?? answerNothing(findings)
}

/** The answer in the requested form, with the sources of its values. */
const answerJson = (
  schema: { readonly [name: string]: unknown },
  { question, conversation }: Prompt,
  findings: readonly Findings[],
): StepPart[] => {
  const earlier = conversation.slice(0, -1).flatMap(({ role, content }) => (role === 'user' ? [content] : []))
  const sentences = listSentences(listBest(findings, findBestEvidence(findings)))
  const { output, quotes } = fillSchema(schema, rankSentences(sentences, { question, earlier: earlier.join('\n') }))
  return [{ type: 'text', text: JSON.stringify(output) }, ...toSources(quotes)]
}

/** The first calls for a question: what the Brains have on it, and which kinds of records they have where it counts. */
const askBrains = (options: LanguageModelV4CallOptions, prompt: Prompt, tools: readonly string[]): StepPart[] =>
  toCalls([
    ...tools.map((toolName) => ({ toolName, input: toInput(toolName, prompt) })),
    ...(options.responseFormat?.type === 'json' ? [] : findKindCalls(options, prompt)),
  ])

/** The step after the Brains were asked. */
const continueWith = async (
  options: LanguageModelV4CallOptions,
  prompt: Prompt,
  results: Prompt['results'],
): Promise<StepPart[]> => {
  const findings = readFindings(results)
  const { responseFormat } = options
  if (responseFormat?.type === 'json') return answerJson({ ...responseFormat.schema }, prompt, findings)
  if (results.length === 0) return toContent(answerBlind())
  const count = await takeCountStep(options, prompt)
  if (count) return 'calls' in count ? toCalls(count.calls) : toContent(count.answer)
  const reads = findReads(options, prompt, findings)
  if (reads.length > 0) return toCalls(reads)
  const next = await answer(
    options,
    prompt,
    findings.map((one) => addDocuments(prompt, one)),
  )
  return 'toolName' in next ? toCalls([next]) : toContent(next)
}

/** Takes the next step of a run. */
export const takeStep = async (options: LanguageModelV4CallOptions): Promise<StepPart[]> => {
  const prompt = readPrompt(options)
  const task = findTask(options, prompt)
  if (task) {
    const next = takeProposalStep(task, prompt)
    return 'calls' in next ? toCalls(next.calls) : toContent(next.answer)
  }
  if (prompt.question === '') return toContent(answerEmpty())
  const tools = findTools(options)
  const results = prompt.results.filter(({ toolName }) => readsBrain.test(toolName))
  if (results.length === 0 && tools.length > 0) return askBrains(options, prompt, tools)
  return continueWith(options, prompt, results)
}
