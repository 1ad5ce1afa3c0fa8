import { createReadStream } from 'node:fs'
import { isSettings, type Settings } from '../client-files.ts'
import type { Said } from './hook-event.ts'

// The transcripts of coding agents: files of JSON lines. Only the words of people and of the agent are read, never the calls of
// tools and their results, which have whole files and outputs of commands in them.

/** A line longer than this is a result of a tool, and is skipped unread. */
const maxLineBytes = 1024 * 1024
const lineFeed = 0x0a

const toText = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((part) =>
      isSettings(part) && typeof part.text === 'string' && /^(?:input_|output_)?text$/.test(String(part.type ?? 'text'))
        ? [part.text]
        : [],
    )
    .join('\n')
}

/** Texts that a client puts into messages by itself. */
const added = [
  /<(system-reminder|local-command-stdout|local-command-caveat|command-name|command-message|command-args|environment_context|user_instructions|INSTRUCTIONS|noema-context)>[\s\S]*?<\/\1>/g,
  /^# AGENTS\.md instructions for[\s\S]*$/,
]

const roles: Readonly<Record<string, Said['role']>> = {
  user: 'user',
  'user.message': 'user',
  assistant: 'assistant',
  'assistant.message': 'assistant',
  gemini: 'assistant',
}

/** The message of a line, in the form of any of the clients. */
const findMessage = (line: Settings): { role: unknown; content: unknown } => {
  const { type, payload, message, data } = line
  if (isSettings(payload))
    return payload.type === 'message' ? (payload as { role: unknown; content: unknown }) : { role: '', content: '' }
  if (isSettings(message)) return { role: message.role ?? line.role ?? type, content: message.content }
  return { role: line.role ?? type, content: isSettings(data) ? data.content : line.content }
}

/** The words in a line of a transcript; undefined if it has none. */
const readLine = (text: string): Said | undefined => {
  const line: unknown = JSON.parse(text)
  if (!isSettings(line) || line.isMeta === true || line.isSidechain === true) return undefined
  const { role: given, content } = findMessage(line)
  const role = roles[String(given)]
  if (role === undefined) return undefined
  const said = added.reduce((rest, pattern) => rest.replaceAll(new RegExp(pattern, 'g'), ''), toText(content)).trim()
  return said === '' ? undefined : { role, text: said }
}

const tryLine = (bytes: Buffer): Said | undefined => {
  try {
    return readLine(bytes.toString())
  } catch {
    return undefined
  }
}

/**
 * The words of a transcript from an offset on, each with the offset after its line. A last line that is not complete is left for the
 * next time. No more than a line is in memory.
 */
export async function* readTranscript(file: string, offset: number): AsyncGenerator<{ said: Said; end: number }> {
  let parts: Buffer[] = []
  let length = 0
  let position = offset
  for await (const chunk of createReadStream(file, { start: offset }) as AsyncIterable<Buffer>) {
    let start = 0
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, start)) {
      const piece = chunk.subarray(start, at)
      position += length + piece.length + 1
      const said = length + piece.length > maxLineBytes ? undefined : tryLine(Buffer.concat([...parts, piece]))
      ;[parts, length, start] = [[], 0, at + 1]
      if (said) yield { said, end: position }
    }
    length += chunk.length - start
    parts = length > maxLineBytes ? [] : [...parts, chunk.subarray(start)]
  }
}
