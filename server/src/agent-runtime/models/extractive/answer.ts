import type { LanguageModelV4Citation, LanguageModelV4Source } from '@ai-sdk/provider'
import type { Evidence } from '@noema/contracts/search.ts'
import type { Quote } from './choose-quotes.ts'
import type { Address, Findings } from './read-found.ts'

// The text of an answer: its kind, the quotes with their numbers, and under them their sources.

/** A text with what it is supported by. */
export type Answer = { text: string; sources: LanguageModelV4Source[]; citations: LanguageModelV4Citation[] }

/** Every answer says this. */
export const whatItIs = 'noema/extractive quotes and does not reason'

/** Signs by which Markdown makes links, images and HTML: a quote is words, whatever was written into the Brain. */
const markup = /[\\`<]|\[(?=[^\]\n]{0,600}\][([:])/g

/** A text on one line of Markdown, in its own words. */
export const quoteLine = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(markup, (sign) => `\\${sign}`)

/** A link, of which a quote has the words. An image stays as it is written. */
const link = /(?<!!)\[([^[\]\n]{1,300})\](?:\([^()\s]{0,500}\)|\[[^[\]\n]{0,200}\])/g

/** Markdown on one line, without the marks of its links and its code. */
const quoteMarkdown = (text: string): string => quoteLine(text.replaceAll('`', '').replaceAll(link, '$1'))

/** An address in one line. */
export const toPlace = ({ brain = '', type, id, version }: Address): string => `${brain}/${type}/${id}@${version}`

/** An address as a part of the answer that programs read. */
export const toSource = (address: Address, quotes: readonly string[]): LanguageModelV4Source => {
  const { brain, type, id, version, title } = address
  return {
    type: 'source',
    sourceType: 'document',
    id: toPlace(address),
    mediaType: 'text/plain',
    title: title === '' ? id : title,
    providerMetadata: { noema: { ...(brain === undefined ? {} : { brain }), type, id, version, quotes: [...quotes] } },
  }
}

const describe = ({ brain, type, id, version, title }: Address): string =>
  `${type} ${JSON.stringify(id)} version ${version}${brain === undefined ? '' : ` of the Brain ${brain}`}${title === '' ? '' : `: ${title}`}`

/** Quotes by their sources, in the order of their first quotes. */
const groupQuotes = (quotes: readonly Quote[]): { from: Address; texts: string[] }[] =>
  [...Map.groupBy(quotes, ({ from }) => toPlace(from)).values()].flatMap((group) => {
    const [first] = group
    return first ? [{ from: first.from, texts: group.map(({ text }) => text) }] : []
  })

/** The sources of quotes, each item once. */
export const toSources = (quotes: readonly Quote[]): LanguageModelV4Source[] =>
  groupQuotes(quotes).map(({ from, texts }) => toSource(from, texts))

const listFailures = (findings: readonly Findings[]): string[] =>
  findings.flatMap(({ failure }) => (failure === undefined ? [] : [`A Brain could not be read: ${quoteLine(failure)}`]))

const head = (evidence: Evidence): string =>
  evidence === 'strong'
    ? `Found, word for word (${whatItIs}):`
    : `These findings fit the question only in part and may not answer it. Word for word (${whatItIs}):`

/** The answer if nothing answers, with a way to change that. */
const nothingFound = `No answer found. Nothing in the Brain seems to answer this, so nothing is cited. ${whatItIs}; to connect a model that reasons, see docs/providers.md or /docs/guides/providers on this service.`

/** The answer where nothing answers. It says so if the newest content was not searched. */
export const answerNothing = (findings: readonly Findings[]): Answer => {
  const failures = listFailures(findings)
  const isUnread = failures.length > 0 && failures.length === findings.length
  const nothing = isUnread ? [] : [nothingFound]
  const unread = new Set(findings.flatMap((one) => one.unread ?? []))
  return { text: [...nothing, ...unread, ...failures].join('\n\n'), sources: [], citations: [] }
}

/** The answer of a person, if nothing else answered. */
export const answerByPerson = (reply: string): Answer => ({
  text: `Nothing in the Brain seems to answer this. A person was asked (${whatItIs}) and said:\n\n> ${quoteLine(reply)}`,
  sources: [],
  citations: [],
})

/** The answer of an agent that has nowhere to look. */
export const answerBlind = (): Answer => ({
  text: `This agent has no Brain to search, and ${whatItIs}. Give it a Brain, or another model.`,
  sources: [],
  citations: [],
})

/** The answer where nothing was asked. */
export const answerEmpty = (): Answer => ({
  text: `There is no question to answer (${whatItIs}). Send one as text.`,
  sources: [],
  citations: [],
})

const maxLabelLength = 160

/** A line of a quote. Code keeps its indentation, by which Markdown knows it as code. */
const showLine = (line: string): string =>
  line.startsWith('    ')
    ? `>     ${line.slice(4)}`
    : `> ${line.startsWith('- ') ? '- ' : ''}${quoteMarkdown(line.replace(/^- /, ''))}`

/** A quote as a quotation in Markdown, with its number. */
const showQuote = ({ text, label }: Quote, number: number): string => {
  const [first = '', ...rest] = text.split('\n')
  const heading = label === undefined ? '' : `${quoteMarkdown(label).slice(0, maxLabelLength).toWellFormed()} › `
  const lines = rest.map(showLine)
  return [`> ${heading}${quoteMarkdown(first)} [${number}]`, ...(lines.length > 0 ? ['>'] : []), ...lines].join('\n')
}

/** Quotes as an answer. */
export const answerQuotes = (quotes: readonly Quote[], evidence: Evidence, findings: readonly Findings[]): Answer => {
  const groups = groupQuotes(quotes)
  const sources = toSources(quotes)
  const citations: LanguageModelV4Citation[] = []
  let text = head(evidence)
  for (const quote of quotes) {
    const number = groups.findIndex(({ from }) => toPlace(from) === toPlace(quote.from))
    const source = sources[number]
    const line = showQuote(quote, number + 1)
    if (source) {
      const startIndex = text.length + 2
      citations.push({ source, startIndex, endIndex: startIndex + line.length, citedText: quote.text })
    }
    text += `\n\n${line}`
  }
  const list = groups.map(({ from }, index) => `${index + 1}. ${quoteLine(describe(from))}`).join('\n')
  return { text: [text, list, ...listFailures(findings)].join('\n\n'), sources, citations }
}
